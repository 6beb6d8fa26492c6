import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { readStoreId } from '../../../platform/database/identity.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import { type Signer, signerFromSecret } from '../../../stellar/accounts/signer.ts'
import type { AccountState, StellarRpc } from '../../../stellar/rpc/rpc.ts'
import { CHANNELS_PER_ENVELOPE } from '../../../stellar/transactions/channel-envelopes.ts'
import { putChannels } from '../../store/channels/channel.ts'
import { readPromisedFees } from '../../store/settlements/promised-fees.ts'
import { putAuthorities } from '../../store/upto/authorities.ts'
import { afterTries } from '../after-tries.ts'
import { authoritiesToStore, authoritySigners } from '../authorities.ts'
import { channelSigner } from '../derive.ts'
import type { Progress } from '../progress.ts'
import { markedByAnother, readWithMark } from '../sponsor-mark.ts'
import { leaseSource } from '../transaction-source.ts'
import { shortfall } from './affordable-channels.ts'
import { createChannels, ProvisionFailure } from './create-channels.ts'

export interface ProvisionOptions {
  readonly network: NetworkId
  readonly passphrase: string
  /** `S...`; pays the fees and the reserves. */
  readonly sponsorSecret: string
  /** Creates channels 0 to count - 1. */
  readonly count: number
  /** Creates the settlement authorities of the scheme `upto` too: the sponsor's own, and the previous sponsor's. */
  readonly servesUpto?: boolean | undefined
  /** `S...` of the sponsor before; this sponsor pays the reserve of its authority where the ledger has none. */
  readonly previousSponsorSecret?: string | undefined
  /** `S...` of the sponsor that replaces this one, which creates its authority itself. */
  readonly nextSponsorSecret?: string | undefined
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  /** Creates no channels that would leave the sponsor less than this to spend. */
  readonly keepSpendable: Stroops
  readonly rpc: StellarRpc
  /** Absent: the channels are not stored. */
  readonly store: Store | undefined
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
  readonly onProgress?: Progress
}

/** What shall exist on the ledger. */
interface Accounts {
  readonly channels: readonly Signer[]
  readonly authorities: readonly Signer[]
}

/** Failed attempts allowed: another process may provision too, or the network may be busy. */
const MAX_FAILED_ATTEMPTS = 10
const RETRY_PAUSE_MS = 1_000

/**
 * Makes sure that the channels exist on the ledger and in the store, and the settlement authorities on the ledger. Creates missing ones with a balance of
 * zero and sponsored reserves, one envelope per ledger. May be called any number of times, by several
 * processes at once: existing channels are kept. Throws `ProvisionFailure` when the sponsor cannot pay for all, or is marked by another store,
 * `RpcError` when the network does not answer.
 */
export async function provisionChannels(options: ProvisionOptions): Promise<void> {
  const { network, sponsorSecret, count, servesUpto, store, log } = options
  const channels = Array.from({ length: count }, (_, index) =>
    channelSigner(sponsorSecret, network, index),
  )
  const authorities = servesUpto ? authoritySigners(network, options) : []
  // First: an own account is known as such before it can be paid.
  if (store) await putAuthorities(store.db, authoritiesToStore(network, options))
  const accounts = await createMissing(options, { channels, authorities })
  const sponsor = signerFromSecret(sponsorSecret).address
  if (store) {
    const entries = channels.map(({ address: account }, index) => {
      const sequence = accounts.get(account)?.sequence
      return { network, sponsor, index, account, sequence }
    })
    await putChannels(store.db, entries)
    store.notifyFreedChannels(network)
  }
  log.info(
    { network, channels: count, authorities: authorities.map(({ address }) => address) },
    'Channels are in place',
  )
}

async function createMissing(
  options: ProvisionOptions,
  { channels, authorities }: Accounts,
): Promise<ReadonlyMap<string, AccountState>> {
  const { rpc, clock, log, signal, network, onProgress } = options
  const all = [...channels, ...authorities]
  const addresses = all.map(({ address }) => address)
  const sponsor = signerFromSecret(options.sponsorSecret)
  const { store } = options
  const source =
    store && (() => leaseSource({ ...options, store, inStore: (run) => run(store.db) }))
  const own = store && (await readStoreId(store.db))
  let because = ''
  for (let failed = 0; failed < MAX_FAILED_ATTEMPTS; ) {
    const { accounts, mark } = await readWithMark(rpc, sponsor.address, addresses, signal)
    refuseMarked(sponsor.address, { mark, own })
    const isMissing = ({ address }: Signer) => !accounts.has(address)
    const missing = all.filter(isMissing)
    onProgress?.({ done: all.length - missing.length, of: all.length })
    if (missing.length === 0) return accounts

    await requireFunds(options, accounts.get(sponsor.address), {
      channels: channels.filter(isMissing).length,
      authorities: authorities.filter(isMissing).length,
    })
    const batch = missing.slice(0, CHANNELS_PER_ENVELOPE)
    const terms = { ...options, sponsor, channels: batch, leaseSource: source }
    const outcome = await createChannels(terms)
    log.info({ network, missing: missing.length, outcome }, 'Tried to create channels')
    if (outcome.kind === 'done') continue
    failed += 1
    because = outcome.because
    await clock.sleep(RETRY_PAUSE_MS, signal)
  }
  throw new ProvisionFailure(
    `channels of ${network} could not be created ${afterTries(MAX_FAILED_ATTEMPTS, because)}`,
  )
}

/** Throws `ProvisionFailure` when the ledger says that the operator of another store manages the sponsor's channels. */
export function refuseMarked(
  sponsor: string,
  { mark, own }: { readonly mark: string | undefined; readonly own: string | undefined },
): void {
  if (mark === undefined || mark === own) return
  throw new ProvisionFailure(
    `${markedByAnother(sponsor, { mark, own })}: set DATABASE_URL to the database of that store, or give this service a sponsor of its own`,
  )
}

/**
 * Throws `ProvisionFailure` unless the sponsor can pay for these accounts. One that does not exist is found when the
 * transaction is built.
 */
export async function requireFunds(
  {
    network,
    store,
    keepSpendable: floor,
    inclusionFee,
  }: Pick<ProvisionOptions, 'network' | 'store' | 'keepSpendable' | 'inclusionFee'>,
  sponsor: AccountState | undefined,
  missing: Parameters<typeof shortfall>[1],
): Promise<void> {
  if (!sponsor) return
  const promised = store
    ? await readPromisedFees(store.db, { network, sponsor: sponsor.address })
    : asStroops(0n)
  const lacks = shortfall(sponsor, missing, { floor, promised, inclusionFee })
  if (lacks !== undefined) throw new ProvisionFailure(`${lacks} on ${network}`)
}
