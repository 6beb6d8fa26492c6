import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { StellarRpc } from '../../../stellar/rpc/rpc.ts'
import { putChannels } from '../../store/channels/channel.ts'
import { putAuthorities } from '../../store/upto/authorities.ts'
import { authoritiesToStore, authoritySigners } from '../authorities.ts'
import { plainWritesOf } from '../converge/access.ts'
import { convergeFully, type Pass } from '../converge/converge.ts'
import type { Progress } from '../progress.ts'
import type { OtherSponsor, SponsorKeys } from '../sponsor-keys.ts'
import { markedByAnother } from '../sponsor-mark.ts'
import { noSuchSponsor, ProvisionFailure } from './create-channels.ts'

export interface ProvisionOptions {
  readonly network: NetworkId
  /** Of the sponsor, which pays the fees and the reserves. */
  readonly keys: SponsorKeys
  /** Creates channels 0 to count - 1. */
  readonly count: number
  /** Creates the settlement authorities of the scheme `upto` too: the sponsor's own, and the previous sponsor's. */
  readonly servesUpto?: boolean | undefined
  /** The sponsor before; this one pays the reserve of its authority where the ledger has none. */
  readonly previousSponsor?: OtherSponsor | undefined
  /** The sponsor that replaces this one, which creates its authority itself. */
  readonly nextSponsor?: OtherSponsor | undefined
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  /** Creates no channels that would leave the sponsor less than this to spend. */
  readonly keepSpendable: Stroops
  readonly rpc: StellarRpc
  /** Absent: the channels are created on the ledger alone. */
  readonly store: Store | undefined
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
  readonly onProgress?: Progress
}

/**
 * Makes sure that the channels exist on the ledger and in the store, and the settlement authorities on the ledger. Creates missing ones with a balance of
 * zero and sponsored reserves, one envelope per ledger. May be called any number of times, by several
 * processes at once: existing channels are kept. Throws `ProvisionFailure` when the sponsor cannot pay for all, or is marked by another store,
 * `RpcError` when the network does not answer.
 */
export async function provisionChannels(options: ProvisionOptions): Promise<void> {
  const { network, keys, count, servesUpto, store, log } = options
  const sponsor = keys.address
  const authorities = servesUpto ? authoritySigners(network, options) : []
  // First: an own account is known as such before it can be paid.
  if (store) await putAuthorities(store.db, authoritiesToStore(network, options))
  const { last } = await convergeFully({
    ...options,
    ...plainWritesOf(store),
    purpose: 'grow',
    desired: count,
    authorities,
    floor: options.keepSpendable,
    check: ({ mark, storeId }) => refuseMarked(sponsor, { mark, own: storeId }),
    noSponsor: () => noSuchSponsor(network, sponsor),
    failure: (why) => new ProvisionFailure(why),
  })
  if (store) await forgetStale(store, { network, sponsor }, last)
  log.info(
    { network, channels: count, authorities: authorities.map(({ address }) => address) },
    'Channels are in place',
  )
}

/** A sequence number that differs from the ledger's is read again with the next use: another process used the channel, or the network was reset. */
async function forgetStale(
  store: Store,
  key: { readonly network: NetworkId; readonly sponsor: string },
  { channels, accounts, plan }: Pass,
): Promise<void> {
  const ready = new Set(plan.ready)
  const stale = channels.flatMap(({ index, account, sequence, isLeased }) => {
    const now = accounts.get(index)?.sequence
    const isStale = ready.has(index) && !isLeased && sequence !== undefined && sequence !== now
    return isStale ? [{ ...key, index, account, sequence: now }] : []
  })
  await putChannels(store.db, stale)
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
