import type { NetworkId } from '../core/caip2.ts'
import type { Clock } from '../core/clock.ts'
import { asStroops, type Stroops } from '../core/stroops.ts'
import { CHANNELS_PER_ENVELOPE } from '../stellar/channel-envelopes.ts'
import type { AccountState, StellarRpc } from '../stellar/rpc.ts'
import { type Signer, signerFromSecret } from '../stellar/signer.ts'
import { putChannels } from '../store/channels/channel.ts'
import type { Store } from '../store/open.ts'
import { readPromisedFees } from '../store/settlements/promised-fees.ts'
import type { Logger } from '../telemetry/logger.ts'
import { shortfall } from './affordable-channels.ts'
import { afterTries } from './after-tries.ts'
import { createChannels, ProvisionFailure } from './create-channels.ts'
import { channelSigner } from './derive.ts'
import type { Progress } from './progress.ts'
import { leaseSource } from './transaction-source.ts'

export interface ProvisionOptions {
  readonly network: NetworkId
  readonly passphrase: string
  /** `S...`; pays the fees and the reserves. */
  readonly sponsorSecret: string
  /** Creates channels 0 to count - 1. */
  readonly count: number
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

interface Channel {
  readonly index: number
  readonly signer: Signer
}

/** Failed attempts allowed: another process may provision too, or the network may be busy. */
const MAX_FAILED_ATTEMPTS = 10
const RETRY_PAUSE_MS = 1_000

/**
 * Makes sure that the channels exist on the ledger and in the store. Creates missing ones with a balance of
 * zero and sponsored reserves, one envelope per ledger. May be called any number of times, by several
 * processes at once: existing channels are kept. Throws `ProvisionFailure` when the sponsor cannot pay for all,
 * `RpcError` when the network does not answer.
 */
export async function provisionChannels(options: ProvisionOptions): Promise<void> {
  const { network, sponsorSecret, count, store, log } = options
  const channels = Array.from({ length: count }, (_, index) => ({
    index,
    signer: channelSigner(sponsorSecret, network, index),
  }))
  const accounts = await createMissing(options, channels)
  const sponsor = signerFromSecret(sponsorSecret).address
  if (store) {
    const entries = channels.map(({ index, signer: { address: account } }) => {
      const sequence = accounts.get(account)?.sequence
      return { network, sponsor, index, account, sequence }
    })
    await putChannels(store.db, entries)
    store.notifyFreedChannels(network)
  }
  log.info({ network, channels: count }, 'Channels are in place')
}

async function createMissing(
  options: ProvisionOptions,
  channels: readonly Channel[],
): Promise<ReadonlyMap<string, AccountState>> {
  const { rpc, clock, log, signal, network, onProgress } = options
  const addresses = channels.map(({ signer }) => signer.address)
  const sponsor = signerFromSecret(options.sponsorSecret)
  const { store } = options
  const source =
    store && (() => leaseSource({ ...options, store, inStore: (run) => run(store.db) }))
  let because = ''
  for (let failed = 0; failed < MAX_FAILED_ATTEMPTS; ) {
    const accounts = await rpc.accounts([sponsor.address, ...addresses], signal)
    const missing = channels.filter(({ signer }) => !accounts.has(signer.address))
    onProgress?.({ done: channels.length - missing.length, of: channels.length })
    if (missing.length === 0) return accounts

    await requireFunds(options, accounts.get(sponsor.address), missing.length)
    const batch = missing.slice(0, CHANNELS_PER_ENVELOPE).map(({ signer }) => signer)
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

/**
 * Throws `ProvisionFailure` unless the sponsor can pay for `count` channels. One that does not exist is found when the
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
  count: number,
): Promise<void> {
  if (!sponsor) return
  const promised = store
    ? await readPromisedFees(store.db, { network, sponsor: sponsor.address })
    : asStroops(0n)
  const lacks = shortfall(sponsor, count, { floor, promised, inclusionFee })
  if (lacks !== undefined) throw new ProvisionFailure(`${lacks} on ${network}`)
}
