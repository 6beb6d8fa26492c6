import type { AccountState } from '../../stellar/rpc.ts'
import type { PoolChannel } from '../../store/pools/pool-channels.ts'

export interface PoolFacts {
  /** Channels there shall be, ready to be leased. */
  readonly wanted: number
  /** As the store knows them, retired ones included. */
  readonly channels: readonly PoolChannel[]
  /** Those of the accounts in question that are on the ledger, by index. */
  readonly accounts: ReadonlyMap<number, AccountState>
}

/** What brings the pool nearer to what is wanted; the store's steps are made before the ledger's. */
export interface PoolPlan {
  readonly quarantine: readonly { readonly index: number; readonly because: string }[]
  /** On the ledger and not wanted, but unknown to the store: from an earlier life of the pool. */
  readonly adopt: readonly number[]
  /** No longer to be leased. */
  readonly drain: readonly number[]
  /** On the ledger: may be leased from now on. */
  readonly put: readonly number[]
  /** Known to the store, but gone from the ledger. */
  readonly retire: readonly number[]
  /** To be made on the ledger, all of them, however many transactions that takes. */
  readonly create: readonly number[]
  /** Idle, and to be merged into the sponsor. */
  readonly merge: readonly number[]
  /** Not wanted any more, but settlements use them still. */
  readonly busy: readonly number[]
  /** Ready to be leased, before the plan is carried out. */
  readonly ready: readonly number[]
}

/** A settlement that expires costs its channel nothing; so many in a row are the channel's fault. */
const MISSES = 3
/** When more of them miss, it is not the channels' fault. */
const FAULTY_SHARE = 0.25
/** Sequence numbers end at 2^63 - 1; nobody gets there but by bumping (CAP-1). */
const LAST_USABLE_SEQUENCE = 2n ** 63n - 2n ** 32n

/**
 * Compares what is wanted with what there is. Channels are told by index: the lowest that can be
 * used are wanted, so that growing and shrinking meet the same accounts again. Those in quarantine,
 * and those held by a settlement that only an operator can end, do not count and are replaced by
 * the next.
 */
export function planPool(facts: PoolFacts): PoolPlan {
  const { channels, accounts } = facts
  const known = new Map(channels.map((channel) => [channel.index, channel]))
  const quarantine = faulty(facts)
  const out = new Set([
    ...quarantine.map(({ index }) => index),
    ...channels.filter(isOut).map(({ index }) => index),
  ])
  const desired = lowestUsable(facts.wanted, out)
  const stateOf = (index: number) => known.get(index)?.state
  const isReady = (index: number) => stateOf(index) === 'active' && accounts.has(index)
  const leaving = channels.filter(
    ({ index, state, heldBy }) =>
      heldBy === undefined &&
      (state !== 'retired' || accounts.has(index)) &&
      (!desired.has(index) || !accounts.has(index)),
  )
  // An active one may be leased at any moment: it has to be seen idle after it was drained.
  const idle = leaving.filter(({ isLeased, state }) => !isLeased && state !== 'active')
  return {
    quarantine,
    adopt: [...accounts.keys()].filter((index) => !known.has(index) && !desired.has(index)),
    drain: leaving
      .filter(({ state }) => state === 'active')
      .map(toIndex)
      .filter(notIn(quarantine)),
    put: [...desired].filter((index) => accounts.has(index) && !isReady(index)),
    retire: idle.map(toIndex).filter((index) => !accounts.has(index) && !desired.has(index)),
    create: [...desired].filter((index) => !accounts.has(index) && !known.get(index)?.isLeased),
    merge: idle.map(toIndex).filter((index) => canMerge(accounts.get(index))),
    busy: leaving.filter(({ isLeased }) => isLeased).map(toIndex),
    ready: [...desired].filter(isReady),
  }
}

const toIndex = ({ index }: { readonly index: number }): number => index

const notIn = (some: readonly { readonly index: number }[]) => (index: number) =>
  !some.some((each) => each.index === index)

const isOut = ({ state, heldBy }: PoolChannel): boolean =>
  state === 'quarantined' || heldBy !== undefined

const canMerge = (account: AccountState | undefined): boolean =>
  account !== undefined && account.sequence < LAST_USABLE_SEQUENCE

function lowestUsable(wanted: number, out: ReadonlySet<number>): ReadonlySet<number> {
  const desired = new Set<number>()
  for (let index = 0; desired.size < wanted; index++) if (!out.has(index)) desired.add(index)
  return desired
}

function faulty({ channels, accounts }: PoolFacts): PoolPlan['quarantine'] {
  const active = channels.filter((channel) => channel.state === 'active' && !isOut(channel))
  const usedUp = active.flatMap(({ index }) => {
    const account = accounts.get(index)
    if (!account || canMerge(account)) return []
    return [{ index, because: `its sequence number ${account.sequence} cannot be raised further` }]
  })
  const missing = active.filter(({ misses }) => misses >= MISSES)
  if (missing.length > Math.max(1, active.length * FAULTY_SHARE)) return usedUp
  const because = (misses: number) =>
    `its last ${misses} settlements ended without the ledger taking its sequence number`
  const stuck = missing.map(({ index, misses }) => ({ index, because: because(misses) }))
  return [...usedUp, ...stuck.filter(({ index }) => !usedUp.some((each) => each.index === index))]
}

/** The most channels one sponsor has (the largest count that a pool may ask for). */
export const MAX_CHANNELS = 1_000
/** Each channel's reserve of two entries is sponsored (CAP-33). */
const SPONSORED_PER_CHANNEL = 2

/** The indices whose accounts have to be looked up to plan with. */
export function indicesInQuestion(wanted: number, channels: readonly PoolChannel[]): number[] {
  const known = channels.map(toIndex)
  const lowest = Array.from({ length: wanted + channels.filter(isOut).length + 1 }, (_, i) => i)
  return [...new Set([...known, ...lowest])].sort((one, other) => one - other)
}

/** Whether the sponsor pays for more accounts than were found: there may be channels beyond. */
export const mayHaveMore = (
  sponsor: Pick<AccountState, 'sponsoring'>,
  accounts: ReadonlyMap<number, AccountState>,
): boolean => sponsor.sponsoring > accounts.size * SPONSORED_PER_CHANNEL
