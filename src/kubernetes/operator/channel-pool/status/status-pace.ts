import { canonicalJson } from '../../../../platform/core/text/canonical-json.ts'
import type { ChannelPoolCondition } from '../../../crd/channel-pool/conditions.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'

type Status = ChannelPool['status']

/** Every write goes to etcd, to each watch of pools and to the Facilitators of the pool. */
const LEAST_MS = 60_000

/**
 * Lets a status that differs only in what every settlement changes, such as the balance and channels in use, through at most once a
 * minute for each pool. Any other difference is written at once.
 */
export class StatusPace {
  readonly #lastAt = new Map<string, number>()

  /** Whether the status is to be written now. @param now monotonic or Unix ms */
  isDue(
    { metadata: { uid }, status: before }: ChannelPool,
    conditions: readonly ChannelPoolCondition[],
    status: Partial<NonNullable<Status>>,
    now: number,
  ): boolean {
    const lastAt = this.#lastAt.get(uid)
    const isSlow =
      lastAt !== undefined &&
      now - lastAt < LEAST_MS &&
      lasting(before, sameTypes(before?.conditions, conditions)) === lasting(status, conditions)
    if (!isSlow) this.#lastAt.set(uid, now)
    return !isSlow
  }

  forget(uid: string): void {
    this.#lastAt.delete(uid)
  }
}

const sameTypes = <C extends { readonly type: string }>(
  before: readonly C[] = [],
  now: readonly { readonly type: string }[],
): readonly C[] => before.filter(({ type }) => now.some((each) => each.type === type))

/** The part of a status that does not change with each settlement. */
function lasting(
  status: Partial<NonNullable<Status>> | undefined,
  conditions: readonly Readonly<Record<'type' | 'status' | 'reason', string>>[],
): string {
  const { channels, sponsor, conditions: _, ...rest } = status ?? {}
  return canonicalJson({
    ...rest,
    channels: channels && { ...channels, inUse: 0 },
    sponsor: sponsor && { address: sponsor.address, source: sponsor.source ?? null },
    conditions: conditions
      .map(({ type, status: value, reason }) => [type, value, reason])
      .toSorted(),
  })
}
