import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import { readStoreId } from '../../../platform/database/identity.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import { listChannels } from '../../store/channels/channel.ts'
import { type DerivedRole, derivedRoleOf } from '../../store/channels/derived-role.ts'
import { ownerOf } from '../../store/pools/ownership.ts'
import type { PoolChannel } from '../../store/pools/pool-channels.ts'
import { listServingReplicas } from '../../store/replica-heartbeats.ts'
import { type FactsQuery, readFacts } from '../converge/facts.ts'
import type { SponsorKeys } from '../sponsor-keys.ts'
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
  /** The other role of the new sponsor's account in the store, when it is a channel or a settlement authority. */
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
  const { network, store, rpc, signal, leastCount } = options
  const { db } = store
  const [from, to] = [options.from.address, options.to.address]
  const [all, toIsAlso, replicas, storeId] = await Promise.all([
    listChannels(db, network),
    derivedRoleOf(db, network, to),
    listServingReplicas(db, network),
    readStoreId(db),
  ])
  const { sequence: ledger } = await rpc.latestLedger(signal)
  const old = await readSponsor(options, { keys: options.from, reach: leastCount, storeId })
  const active = old.view.stored.filter(({ state }) => state === 'active').length
  const wanted = options.count ?? Math.max(leastCount, active)
  const young = await readSponsor(options, { keys: options.to, reach: wanted, storeId })
  const servedBy = (sponsor: string) =>
    replicas.filter((replica) => replica.sponsor === sponsor).map(({ host }) => host)
  const others = all.filter(
    ({ sponsor, state }) => state !== 'retired' && sponsor !== from && sponsor !== to,
  )
  return {
    from: { ...old.view, servedBy: servedBy(from) },
    to: { ...young.view, servedBy: servedBy(to) },
    wanted,
    promised: old.promised,
    toIsAlso,
    storeId,
    others: [...new Set(others.map(({ sponsor }) => sponsor))],
    ledger,
    readAt: options.clock.now(),
  }
}

async function readSponsor(
  options: RotationOptions,
  { keys, ...query }: Pick<FactsQuery, 'reach' | 'storeId'> & { readonly keys: SponsorKeys },
): Promise<{ readonly view: Omit<SponsorView, 'servedBy'>; readonly promised: Stroops }> {
  const { network, store } = options
  const { address: sponsor } = keys
  const authority = keys.authority(network).address
  const facts = await readFacts(
    { ...query, network, keys, desired: 0, authorities: [authority] },
    options,
  )
  const owner = await ownerOf(store.db, { network, sponsor })
  const view = {
    address: sponsor,
    account: facts.sponsor,
    mark: facts.mark,
    stored: facts.channels,
    onLedger: new Set(facts.accounts.keys()),
    authority: { address: authority, isOnLedger: facts.authorities[0]?.account !== undefined },
    pool: owner?.name,
  }
  return { view, promised: facts.promisedFees }
}
