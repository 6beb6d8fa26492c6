import type {
  ChannelPoolConditionType,
  ChannelPoolReason,
} from '../../api/channel-pool-conditions.ts'
import type { ConditionStatus } from '../../api/conditions.ts'

/**
 * What keeps a pool from being looked at or changed, and what that says about it. One closed table:
 *
 * - `ready`: Unknown where the channels may be well and only the operator cannot see them
 * - `funded`: only where the obstacle tells
 * - `againMs`: when the operator looks again by itself; absent for what takes a change it hears of
 */
export const obstacles = {
  SponsorSecretMissing: { ready: 'False', againMs: 30_000 },
  SponsorSecretInvalid: { ready: 'False', againMs: 30_000 },
  SponsorChanged: { ready: 'False', againMs: 30_000 },
  DatabaseSecretMissing: { ready: 'False', againMs: 30_000 },
  DatabaseSecretInvalid: { ready: 'False', againMs: 30_000 },
  StoreUnreachable: { ready: 'Unknown', againMs: 10_000 },
  StoreSchemaOutdated: { ready: 'False', againMs: 5_000 },
  RpcUnreachable: { ready: 'Unknown', againMs: 10_000 },
  RpcWrongNetwork: { ready: 'False', againMs: 60_000 },
  Conflict: { ready: 'False', againMs: 180_000 },
  SponsorMissing: { ready: 'False', funded: 'False', againMs: 10_000 },
  SponsorShort: { ready: 'False', funded: 'False', againMs: 10_000 },
} as const satisfies Partial<
  Record<
    ChannelPoolReason,
    {
      readonly ready: ConditionStatus
      readonly funded?: ConditionStatus
      readonly againMs: number
    }
  >
>

export type ObstacleReason = keyof typeof obstacles

/** Thrown by whatever meets one; the message says what is wrong and what to do, in one sentence. */
export class Obstacle extends Error {
  override readonly name = 'Obstacle'
  readonly reason: ObstacleReason

  constructor(reason: ObstacleReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** One condition, before it is known when it changed. */
export interface Observed {
  readonly type: ChannelPoolConditionType
  readonly status: ConditionStatus
  readonly reason: ChannelPoolReason
  readonly message: string
}

/** What the obstacle says about the pool; what it says nothing about stays as it was seen last. */
export function conditionsOfObstacle({ reason, message }: Obstacle): readonly Observed[] {
  const told: { readonly ready: ConditionStatus; readonly funded?: ConditionStatus } =
    obstacles[reason]
  const conditions: Observed[] = [
    { type: 'Ready', status: told.ready, reason, message },
    { type: 'Degraded', status: told.ready === 'Unknown' ? 'Unknown' : 'True', reason, message },
    { type: 'Progressing', status: 'False', reason, message },
  ]
  return told.funded
    ? [...conditions, { type: 'Funded', status: told.funded, reason, message }]
    : conditions
}
