import type { AccountState } from '../../../../stellar/rpc/rpc.ts'
import { isUnusable, type ObservedPool } from './observe.ts'

export interface PlanInput
  extends Pick<ObservedPool, 'channels' | 'accounts' | 'authority' | 'mark'> {
  /** Channels that should be ready to be leased. */
  readonly desired: number
  /** Of the pool's store. */
  readonly storeId: string
}

/** Changes that bring the pool to its desired state, as indices of channels; those of the store come first. */
export interface PoolPlan {
  readonly quarantine: readonly { readonly index: number; readonly because: string }[]
  /**
   * On the ledger and unknown to the store, while the sponsor lacks the store's mark: they may be channels of another store, which is about
   * to mark the sponsor, too. They are taken over once the ledger has the mark.
   */
  readonly unclaimed: readonly number[]
  /** On the ledger, not desired and unknown to the store: from an earlier pool of this sponsor. */
  readonly adopt: readonly number[]
  /** No longer to be leased. */
  readonly drain: readonly number[]
  /** On the ledger: can be leased from now on. */
  readonly activate: readonly number[]
  /** Known to the store, but gone from the ledger. */
  readonly retire: readonly number[]
  /** To be created on the ledger: all of them, however many transactions that takes. */
  readonly create: readonly number[]
  /** Idle, and to be merged into the sponsor. */
  readonly merge: readonly number[]
  /** The settlement authority is to be created: every pool with channels has one. */
  readonly createAuthority: boolean
  /**
   * It is to be merged into the sponsor: nothing is left that could settle for it, neither a channel account nor a
   * settlement under way.
   */
  readonly mergeAuthority: boolean
  /** The sponsor does not name the pool's store on the ledger yet. */
  readonly setMark: boolean
  /** Nothing is left that the mark protects: it goes with the authority, or alone. */
  readonly removeMark: boolean
  /** Not desired, but settlements still use them. */
  readonly busy: readonly number[]
  /** Can be leased already, before the plan is applied. */
  readonly ready: readonly number[]
}

/** An expired settlement leaves its channel's sequence number unused. After this many in a row the channel is at fault. */
const MAX_MISSES = 3
/** When a larger share of the channels fails so, the cause is not the channels. */
const MAX_FAULTY_SHARE = 0.25
/** Sequence numbers end at 2^63 - 1; only BumpSequence operations get there (CAP-1). */
const LAST_USABLE_SEQUENCE = 2n ** 63n - 2n ** 32n

/**
 * Compares the desired channels with those in the store and on the ledger. The desired ones are the lowest
 * usable indices, so that growing and shrinking reuse the same accounts. Unusable ones do not count: the
 * next index replaces each.
 */
export function planPool(input: PlanInput): PoolPlan {
  const { channels, accounts, authority, mark, storeId } = input
  const known = new Map(channels.map((channel) => [channel.index, channel]))
  const quarantine = findFaulty(input)
  const unusable = new Set([
    ...quarantine.map(({ index }) => index),
    ...channels.filter(isUnusable).map(({ index }) => index),
  ])
  const desired = lowestUsable(input.desired, unusable)
  const stateOf = (index: number) => known.get(index)?.state
  const isOwn = mark === storeId
  const unknown = [...accounts.keys()].filter((index) => !known.has(index))
  const isReady = (index: number) => stateOf(index) === 'active' && accounts.has(index)
  const leaving = channels.filter(
    ({ index, state, heldBy }) =>
      heldBy === undefined &&
      (state !== 'retired' || accounts.has(index)) &&
      (!desired.has(index) || !accounts.has(index)),
  )
  // An active channel can be leased at any moment: it has to be drained before it counts as idle.
  const idle = leaving.filter(({ isLeased, state }) => !isLeased && state !== 'active')
  const isEmpty =
    input.desired === 0 &&
    accounts.size === 0 &&
    channels.every(({ isLeased, heldBy }) => !isLeased && heldBy === undefined)
  return {
    quarantine,
    unclaimed: isOwn ? [] : unknown,
    adopt: isOwn ? unknown.filter((index) => !desired.has(index)) : [],
    drain: leaving
      .filter(({ state }) => state === 'active')
      .map(toIndex)
      .filter(notIn(quarantine)),
    activate: [...desired].filter(
      (index) => accounts.has(index) && !isReady(index) && (isOwn || known.has(index)),
    ),
    retire: idle.map(toIndex).filter((index) => !accounts.has(index) && !desired.has(index)),
    create: [...desired].filter((index) => !accounts.has(index) && !known.get(index)?.isLeased),
    merge: idle.map(toIndex).filter((index) => canMerge(accounts.get(index))),
    createAuthority: input.desired > 0 && authority === undefined,
    mergeAuthority: isEmpty && canMerge(authority),
    setMark: !isOwn && (input.desired > 0 || accounts.size > 0),
    removeMark: isEmpty && mark !== undefined && (authority === undefined || canMerge(authority)),
    busy: leaving.filter(({ isLeased }) => isLeased).map(toIndex),
    ready: [...desired].filter(isReady),
  }
}

const toIndex = ({ index }: { readonly index: number }): number => index

const notIn = (some: readonly { readonly index: number }[]) => (index: number) =>
  !some.some((each) => each.index === index)

const canMerge = (account: AccountState | undefined): boolean =>
  account !== undefined && account.sequence < LAST_USABLE_SEQUENCE

function lowestUsable(count: number, unusable: ReadonlySet<number>): ReadonlySet<number> {
  const lowest = new Set<number>()
  for (let index = 0; lowest.size < count; index++) if (!unusable.has(index)) lowest.add(index)
  return lowest
}

function findFaulty({ channels, accounts }: PlanInput): PoolPlan['quarantine'] {
  const active = channels.filter((channel) => channel.state === 'active' && !isUnusable(channel))
  const usedUp = active.flatMap(({ index }) => {
    const account = accounts.get(index)
    if (!account || canMerge(account)) return []
    return [{ index, because: `its sequence number ${account.sequence} cannot be raised further` }]
  })
  const failing = active.filter(({ misses }) => misses >= MAX_MISSES)
  if (failing.length > Math.max(1, active.length * MAX_FAULTY_SHARE)) return usedUp
  const because = (misses: number) =>
    `its last ${misses} settlements ended without the ledger taking its sequence number`
  const unused = failing.map(({ index, misses }) => ({ index, because: because(misses) }))
  return [...usedUp, ...unused.filter(({ index }) => !usedUp.some((each) => each.index === index))]
}
