import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { readStoreId } from '../../../platform/database/identity.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { signerFromSecret } from '../../../stellar/accounts/signer.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import { listChannels } from '../../store/channels/channel.ts'
import { type DerivedRole, derivedRoleOf } from '../../store/channels/derived-role.ts'
import { ownerOf } from '../../store/pools/ownership.ts'
import { listPoolChannels, type PoolChannel } from '../../store/pools/pool-channels.ts'
import { listServingReplicas } from '../../store/replica-heartbeats.ts'
import { readPromisedFees } from '../../store/settlements/promised-fees.ts'
import { authoritySigner, channelSigner } from '../derive.ts'
import { readWithMark } from '../sponsor-mark.ts'
import type { RotationOptions } from './options.ts'

/** One of the two sponsors, in store and ledger. */
export interface SponsorView {
  /** `G...` */
  readonly address: string
  /** Undefined when the ledger has none. */
  readonly account: AccountState | undefined
  /** The store that manages its channels, as the ledger says. */
  readonly mark: string | undefined
  /** Its channels in the store, retired ones too. */
  readonly stored: readonly PoolChannel[]
  /** Indexes of its channels that the ledger has. */
  readonly onLedger: ReadonlySet<number>
  readonly authority: { readonly address: string; readonly isOnLedger: boolean }
  /** `namespace/name` of the ChannelPool that manages its channels. */
  readonly pool: string | undefined
  /** Hosts of the replicas that serve it now. */
  readonly servedBy: readonly string[]
}

export interface RotationView {
  readonly from: SponsorView
  readonly to: SponsorView
  /** How many channels the new sponsor shall have. */
  readonly wanted: number
  /** Maximum fees of the old sponsor's settlements under way, which its balance does not show. */
  readonly promised: Stroops
  /** What the new sponsor's account is in the store besides, when it is a channel or a settlement authority. */
  readonly toIsAlso: DerivedRole | undefined
  readonly storeId: string
  /** Other sponsors with channels in the store that are not merged. */
  readonly others: readonly string[]
  /** The latest ledger when it was read. */
  readonly ledger: number
  /** This machine's time then, Unix ms. */
  readonly readAt: number
}

/** Reads store and ledger; changes nothing. Throws `RpcError`, `StoreUnavailable`. */
export async function readRotation(options: RotationOptions): Promise<RotationView> {
  const { network, store, rpc, signal } = options
  const { db } = store
  const [from, to] = [signerFromSecret(options.from).address, signerFromSecret(options.to).address]
  // The store first: what it says is retired, the ledger no longer has.
  const [all, toIsAlso, replicas, storeId, fromStored, toStored] = await Promise.all([
    listChannels(db, network),
    derivedRoleOf(db, network, to),
    listServingReplicas(db, network),
    readStoreId(db),
    readStored(db, { network, sponsor: from }),
    readStored(db, { network, sponsor: to }),
  ])
  const { sequence: ledger } = await rpc.latestLedger(signal)
  const active = fromStored.stored.filter(({ state }) => state === 'active').length
  const wanted = options.count ?? Math.max(options.leastCount, active)
  const servedBy = (sponsor: string) =>
    replicas.filter((replica) => replica.sponsor === sponsor).map(({ host }) => host)
  const [fromView, toView] = await Promise.all([
    readLedger(options, { secret: options.from, wanted: options.leastCount, ...fromStored }),
    readLedger(options, { secret: options.to, wanted, ...toStored }),
  ])
  const promised = await readPromisedFees(db, { network, sponsor: from })
  const others = all.filter(
    ({ sponsor, state }) => state !== 'retired' && sponsor !== from && sponsor !== to,
  )
  return {
    from: { ...fromView, servedBy: servedBy(from) },
    to: { ...toView, servedBy: servedBy(to) },
    wanted,
    promised,
    toIsAlso,
    storeId,
    others: [...new Set(others.map(({ sponsor }) => sponsor))],
    ledger,
    readAt: options.clock.now(),
  }
}

interface StoredSponsor {
  readonly stored: readonly PoolChannel[]
  readonly pool: string | undefined
}

async function readStored(
  db: Db,
  key: { readonly network: NetworkId; readonly sponsor: string },
): Promise<StoredSponsor> {
  const [stored, owner] = await Promise.all([listPoolChannels(db, key), ownerOf(db, key)])
  return { stored, pool: owner?.name }
}

/** @param wanted looks for as many channels, or for as many as the store has if these are more */
async function readLedger(
  { network, rpc, signal }: RotationOptions,
  {
    secret,
    wanted,
    stored,
    pool,
  }: StoredSponsor & { readonly secret: string; readonly wanted: number },
): Promise<Omit<SponsorView, 'servedBy'>> {
  const { address } = signerFromSecret(secret)
  const length = Math.max(wanted, ...stored.map(({ index }) => index + 1))
  const channels = Array.from(
    { length },
    (_, index) => channelSigner(secret, network, index).address,
  )
  const authority = authoritySigner(secret, network).address
  const { accounts, mark } = await readWithMark(rpc, address, [...channels, authority], signal)
  return {
    address,
    account: accounts.get(address),
    mark,
    stored,
    onLedger: new Set([...channels.keys()].filter((index) => accounts.has(channels[index] ?? ''))),
    authority: { address: authority, isOnLedger: accounts.has(authority) },
    pool,
  }
}
