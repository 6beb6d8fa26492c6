import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { readStoreId } from '../../../platform/database/identity.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { AccountState, StellarRpc } from '../../../stellar/rpc/rpc.ts'
import { listPoolChannels, type PoolChannel } from '../../store/pools/pool-channels.ts'
import { readPromisedFees } from '../../store/settlements/promised-fees.ts'
import type { DerivedKeys } from '../sponsor-keys.ts'
import { readWithMark } from '../sponsor-mark.ts'

/** The accounts to read. */
export interface FactsQuery {
  readonly network: NetworkId
  readonly keys: DerivedKeys
  /** Addresses of the settlement authorities that this sponsor pays for, its own first. */
  readonly authorities: readonly string[]
  /** Channels that should be ready. */
  readonly desired: number
  /** Looks for channels 0 to `reach` - 1, too, and for all up to the highest stored one: the store may lack some. */
  readonly reach?: number | undefined
  /**
   * Looks for as many when the sponsor sponsors more entries than the accounts found explain: then it has channels of an earlier pool.
   * Absent: they are not looked for.
   */
  readonly searchUpTo?: number | undefined
  /** The id of the store, where it is known already. */
  readonly storeId?: string | undefined
}

/** An account of the sponsor, in the ledger or not. */
interface AuthorityFact {
  readonly address: string
  /** Undefined when the ledger has none. */
  readonly account: AccountState | undefined
}

/** A sponsor and its channels, in the store and on the ledger. */
export interface ChannelFacts {
  /**
   * The channels in the store, retired ones included. Without a store those on the ledger, as draining: the caller guarantees that none
   * is in use.
   */
  readonly channels: readonly PoolChannel[]
  /** The channel accounts that are on the ledger, by index. */
  readonly accounts: ReadonlyMap<number, AccountState>
  readonly authorities: readonly AuthorityFact[]
  /** Undefined when the ledger has no such account. */
  readonly sponsor: AccountState | undefined
  /** The id of the store that manages the sponsor's channels, as the ledger says; undefined when no store does. */
  readonly mark: string | undefined
  /** The latest ledger when the accounts were read. */
  readonly ledger: number
  /** The id of this store. */
  readonly storeId: string | undefined
  /** Maximum fees of the sponsor's settlements under way, all replicas together. */
  readonly promisedFees: Stroops
  /** Whether the sponsor pays for more entries than the accounts found explain. */
  readonly hasMore: boolean
}

interface Sources {
  /** Absent: nothing is stored. */
  readonly store: { readonly db: Db } | undefined
  readonly rpc: Pick<StellarRpc, 'ledgerEntries'>
  readonly signal: AbortSignal
}

/**
 * Reads the store, then the ledger: what the first says is retired, the second no longer has. Throws `InvalidChannelIndex`, `RpcError`
 * or a store error.
 */
export async function readFacts(query: FactsQuery, sources: Sources): Promise<ChannelFacts> {
  const { store } = sources
  if (!store) return withoutStore(await readLedger({ ...query, channels: [] }, sources))
  const sponsor = query.keys.address
  const key = { network: query.network, sponsor }
  const [channels, promisedFees, storeId] = await Promise.all([
    listPoolChannels(store.db, key),
    readPromisedFees(store.db, key),
    query.storeId ?? readStoreId(store.db),
  ])
  const ledger = await readLedger({ ...query, channels }, sources)
  return { channels, promisedFees, storeId, ...ledger }
}

type LedgerFacts = Pick<
  ChannelFacts,
  'accounts' | 'authorities' | 'sponsor' | 'mark' | 'ledger' | 'hasMore'
>

const withoutStore = (ledger: LedgerFacts): ChannelFacts => ({
  ...ledger,
  channels: [...ledger.accounts].map(([index, { address, sequence }]) => ({
    index,
    account: address,
    state: 'draining',
    sequence,
    isLeased: false,
    heldBy: undefined,
    misses: 0,
    quarantinedBecause: undefined,
  })),
  promisedFees: 0n as Stroops,
  storeId: undefined,
})

/** Reads the sponsor with its mark, its settlement authorities and the channel accounts that a plan needs. Throws `RpcError`. */
async function readLedger(
  query: FactsQuery & Pick<ChannelFacts, 'channels'>,
  { rpc, signal }: Sources,
): Promise<LedgerFacts> {
  const { network, keys, authorities, channels, searchUpTo } = query
  const { address } = keys
  const known = new Map(channels.map(({ index, account }) => [index, account]))
  const accountOf = (index: number) => known.get(index) ?? keys.channel(network, index).address
  const read = async (indices: readonly number[]): Promise<LedgerFacts> => {
    const addresses = indices.map(accountOf)
    const listed = [...authorities, ...addresses]
    const { accounts: found, mark, ledger } = await readWithMark(rpc, address, listed, signal)
    const accounts = new Map<number, AccountState>()
    for (const [at, index] of indices.entries()) {
      const account = found.get(addresses[at] ?? '')
      if (account) accounts.set(index, account)
    }
    const seen = {
      sponsor: found.get(address),
      authorities: authorities.map((each) => ({ address: each, account: found.get(each) })),
      accounts,
      mark,
      ledger,
    }
    return { ...seen, hasMore: mayHaveMoreChannels(seen) }
  }
  const result = await read(indicesToLookUp(query))
  if (!result.hasMore || searchUpTo === undefined) return result
  return read([...new Set([...known.keys(), ...upTo(searchUpTo)])])
}

/** Indices of the channels that the store has, and of those that a plan may need next. */
export function indicesToLookUp({
  desired,
  channels,
  reach,
}: Pick<FactsQuery, 'desired' | 'reach'> & Pick<ChannelFacts, 'channels'>): number[] {
  const known = channels.map(({ index }) => index)
  const below = reach === undefined ? 0 : Math.max(reach, ...known.map((index) => index + 1))
  const lowest = upTo(Math.max(below, desired + channels.filter(isUnusable).length + 1))
  return [...new Set([...known, ...lowest])].sort((one, other) => one - other)
}

const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index)

/** Each account has two base reserves, which the sponsor pays (CAP-33). */
const SPONSORED_PER_ACCOUNT = 2

/** Whether the sponsor sponsors more entries than the accounts found explain. */
export const mayHaveMoreChannels = ({
  sponsor,
  accounts,
  authorities,
}: {
  readonly sponsor: Pick<AccountState, 'sponsoring'> | undefined
} & Pick<ChannelFacts, 'accounts' | 'authorities'>): boolean =>
  (sponsor?.sponsoring ?? 0) >
  (accounts.size + authorities.filter(({ account }) => account).length) * SPONSORED_PER_ACCOUNT

/** Quarantined, or held by an unresolvable settlement. */
export const isUnusable = ({ state, heldBy }: PoolChannel): boolean =>
  state === 'quarantined' || heldBy !== undefined
