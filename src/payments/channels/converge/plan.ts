import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import type { PoolChannel } from '../../store/pools/pool-channels.ts'
import { type ChannelFacts, isUnusable } from './facts.ts'
import { whyUnmergeable } from './unmergeable.ts'

/**
 * `manage`: the sponsor has as many usable channels as wanted and no others, and names the store on the ledger: the operator. `grow`:
 * channels 0 to wanted - 1 can be leased, and nothing else changes: svc serve, svc provision and svc rotate. `empty`: every channel is
 * merged, also those that only the ledger has: svc retire and svc rotate.
 */
type Purpose = 'manage' | 'grow' | 'empty'

export interface PlanInput
  extends Pick<
    ChannelFacts,
    'channels' | 'accounts' | 'authorities' | 'mark' | 'ledger' | 'storeId'
  > {
  /** @default manage */
  readonly purpose?: Purpose | undefined
  /** Channels that should be ready to be leased; 0 to empty. */
  readonly desired: number
  /** Whether channels of unresolvable settlements are merged, too: the max time of their transactions is over. */
  readonly takesHeld?: boolean | undefined
  /** The sponsor pays for entries that were not found. A command then leaves the mark: the entries may be channels. */
  readonly hasMore?: boolean | undefined
}

/** Changes that bring the channels to their desired state, as indices; those of the store come first. */
export interface PoolPlan {
  readonly quarantine: readonly { readonly index: number; readonly because: string }[]
  /**
   * On the ledger and unknown to the store, while the sponsor lacks the store's mark: they may be channels of another store, which is about
   * to mark the sponsor, too. They are taken over once the ledger has the mark.
   */
  readonly unclaimed: readonly number[]
  /** Channels on the ledger that are not desired and unknown to the store: from an earlier pool of this sponsor. */
  readonly adopt: readonly number[]
  /** Channels that are no longer to be leased. */
  readonly drain: readonly number[]
  /** Channels on the ledger that can be leased from now on. */
  readonly activate: readonly number[]
  /** Channels that the store knows, but that are gone from the ledger. */
  readonly retire: readonly number[]
  /** Channels to be created on the ledger: all of them, however many transactions that takes. */
  readonly create: readonly number[]
  /** Idle channels that are to be merged into the sponsor. */
  readonly merge: readonly number[]
  /** Settlement authorities to be created, by address: every pool with channels has one. */
  readonly createAuthorities: readonly string[]
  /**
   * Settlement authorities to be merged into the sponsor: nothing is left that could settle for them, neither a channel account nor a
   * settlement under way.
   */
  readonly mergeAuthorities: readonly string[]
  /** The sponsor does not name the pool's store on the ledger yet. */
  readonly setMark: boolean
  /** Nothing is left that the mark protects: it goes with the authority, or alone. */
  readonly removeMark: boolean
  /** Channels that are not desired, but that settlements still use. */
  readonly busy: readonly number[]
  /** Channels that can be leased already, before the plan is applied. */
  readonly ready: readonly number[]
}

/** An expired settlement leaves its channel's sequence number unused. After this many in a row the channel is at fault. */
const MAX_MISSES = 3
/** When a larger share of the channels fails so, the cause is not the channels. */
const MAX_FAULTY_SHARE = 0.25
/**
 * Compares the desired channels with those in the store and on the ledger. Of a managed sponsor the desired ones are the lowest
 * usable indices, so that growing and shrinking reuse the same accounts. Unusable ones do not count: the
 * next index replaces each, but no more accounts that cannot be merged than the pool is to have channels: whoever has the key of the channels could
 * have the sponsor lock XLM for one after the other.
 */
export function planPool(input: PlanInput): PoolPlan {
  const { channels, accounts, authorities, mark, storeId, purpose = 'manage' } = input
  const known = new Map(channels.map((channel) => [channel.index, channel]))
  const isManaged = purpose === 'manage'
  const quarantine = isManaged ? findFaulty(input) : []
  const unusable = isManaged ? channels.filter(isUnusable).map(toIndex) : []
  const canMerge = mergeableIn(input)
  const stuck = [...accounts.values()].filter((account) => !canMerge(account)).length
  const count = isManaged
    ? Math.max(0, input.desired - Math.max(0, stuck - input.desired))
    : input.desired
  const desired = lowestUsable(count, new Set([...quarantine.map(toIndex), ...unusable]))
  const stateOf = (index: number) => known.get(index)?.state
  // A command has refused the mark of another store, and sets none.
  const isOwn = !isManaged || mark === storeId
  const unknown = [...accounts.keys()].filter((index) => !known.has(index))
  const isReady = (index: number) => stateOf(index) === 'active' && accounts.has(index)
  const leaving = purpose === 'grow' ? [] : leavingOf(input, desired)
  const inUse = inUseOf(input)
  // An active channel can be leased at any moment: it has to be drained before it counts as idle.
  const idle = leaving.filter((channel) => !inUse(channel) && channel.state !== 'active')
  const isEmpty =
    purpose !== 'grow' &&
    input.desired === 0 &&
    accounts.size === 0 &&
    channels.every(
      (channel) => !inUse(channel) && (input.takesHeld || channel.heldBy === undefined),
    )
  const activate = [...desired].filter(
    (index) => accounts.has(index) && !isReady(index) && (isOwn || known.has(index)),
  )
  const create = [...desired].filter(
    (index) => !accounts.has(index) && !(isManaged && known.get(index)?.isLeased),
  )
  const toMerge = isEmpty ? authorities.filter(({ account }) => canMerge(account)) : []
  return {
    quarantine,
    unclaimed: isOwn ? [] : unknown,
    adopt: isOwn && purpose !== 'grow' ? unknown.filter((index) => !desired.has(index)) : [],
    drain: leaving
      .filter(({ state }) => state === 'active')
      .map(toIndex)
      .filter(notIn(quarantine)),
    // Channels that a command creates can be leased once all are there.
    activate: purpose === 'grow' && create.length > 0 ? [] : activate,
    retire: idle.map(toIndex).filter((index) => !accounts.has(index) && !desired.has(index)),
    create,
    merge: idle.map(toIndex).filter((index) => canMerge(accounts.get(index))),
    createAuthorities:
      input.desired > 0 || purpose === 'grow'
        ? authorities.filter(({ account }) => !account).map(toAddress)
        : [],
    mergeAuthorities: toMerge.map(toAddress),
    setMark: !isOwn && (input.desired > 0 || accounts.size > 0),
    removeMark:
      isEmpty &&
      mark !== undefined &&
      !(input.hasMore && !isManaged) &&
      authorities.every(({ account }) => !account || canMerge(account)),
    busy: leaving.filter(inUse).map(toIndex),
    ready: [...desired].filter(isReady),
  }
}

/** The channels that are to be drained, merged and retired. */
const leavingOf = (
  { channels, accounts, takesHeld = false }: PlanInput,
  desired: ReadonlySet<number>,
): readonly PoolChannel[] =>
  channels.filter(
    ({ index, state, heldBy }) =>
      (heldBy === undefined || takesHeld) &&
      (state !== 'retired' || accounts.has(index)) &&
      (!desired.has(index) || !accounts.has(index)),
  )

const inUseOf =
  ({ takesHeld = false }: PlanInput) =>
  ({ isLeased, heldBy }: PoolChannel): boolean =>
    isLeased && !(takesHeld && heldBy !== undefined)

const toIndex = ({ index }: { readonly index: number }): number => index
const toAddress = ({ address }: { readonly address: string }): string => address

const notIn = (some: readonly { readonly index: number }[]) => (index: number) =>
  !some.some((each) => each.index === index)

const mergeableIn =
  ({ ledger }: PlanInput) =>
  (account: AccountState | undefined): boolean =>
    account !== undefined && whyUnmergeable(account, ledger) === undefined

function lowestUsable(count: number, unusable: ReadonlySet<number>): ReadonlySet<number> {
  const lowest = new Set<number>()
  for (let index = 0; lowest.size < count; index++) if (!unusable.has(index)) lowest.add(index)
  return lowest
}

function findFaulty({ channels, accounts, ledger }: PlanInput): PoolPlan['quarantine'] {
  const active = channels.filter((channel) => channel.state === 'active' && !isUnusable(channel))
  const spoiled = active.flatMap(({ index }) => {
    const account = accounts.get(index)
    const because = account && whyUnmergeable(account, ledger)
    return because === undefined ? [] : [{ index, because }]
  })
  const failing = active.filter(({ misses }) => misses >= MAX_MISSES)
  if (failing.length > Math.max(1, active.length * MAX_FAULTY_SHARE)) return spoiled
  const because = (misses: number) =>
    `its last ${misses} settlements ended without the ledger taking its sequence number`
  const unused = failing.map(({ index, misses }) => ({ index, because: because(misses) }))
  return [
    ...spoiled,
    ...unused.filter(({ index }) => !spoiled.some((each) => each.index === index)),
  ]
}
