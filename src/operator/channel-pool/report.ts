import type { ChannelPool } from '../../api/channel-pool.ts'
import { channelPoolConditionTypes } from '../../api/channel-pool-conditions.ts'
import { MAX_MESSAGE_LENGTH } from '../../api/conditions.ts'
import type { Clock } from '../../core/clock.ts'
import { findCondition, setConditions, unknownConditions } from '../../kube/conditions.ts'
import type { EventRecorder } from '../../kube/events.ts'
import type { ResourceType } from '../../kube/resource.ts'
import type { StatusWriter } from '../../kube/status-writer.ts'
import type { Observed } from './obstacles.ts'

type Status = NonNullable<ChannelPool['status']>

export interface ReporterOptions {
  readonly type: ResourceType<ChannelPool>
  readonly statuses: StatusWriter
  readonly events: EventRecorder
  readonly clock: Clock
}

/** Tells what was observed of a pool: in its status, and in an event where that is news. */
export type Report = (
  pool: ChannelPool,
  conditions: readonly Observed[],
  /** What replaces members of the status; those left out stay as they were. */
  figures: Partial<Status>,
  signal: AbortSignal,
) => Promise<void>

export const createReport =
  ({ type, statuses, events, clock }: ReporterOptions): Report =>
  async (pool, conditions, figures, signal) => {
    const { generation } = pool.metadata
    const types = Object.keys(channelPoolConditionTypes)
    const first = unknownConditions(types, 'NotObserved', 'The operator has not looked yet.')
    const known = pool.status?.conditions ?? []
    const missing = first.filter((each) => !findCondition(known, each.type))
    const observations = [...missing, ...conditions.map(fitting)]
    const next = setConditions(known, observations, { generation, now: clock.now() })
    const status = { ...pool.status, observedGeneration: generation, ...figures, conditions: next }
    const isNew = await statuses.write({ type, live: pool, status: withoutAbsent(status), signal })
    if (isNew) tellNews(pool, conditions, events)
  }

const fitting = (condition: Observed): Observed => ({
  ...condition,
  message: condition.message.slice(0, MAX_MESSAGE_LENGTH),
})

const withoutAbsent = (status: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined))

/** News is a condition that turned, or the same one for another reason. */
function tellNews(pool: ChannelPool, conditions: readonly Observed[], events: EventRecorder): void {
  for (const { type, status, reason, message } of conditions.slice(0, 1)) {
    const before = findCondition(pool.status?.conditions, type)
    if (before?.status === status && before.reason === reason) continue
    const isWell = status === 'True'
    events.record(pool, {
      type: isWell || reason === 'Empty' || reason === 'ChannelsMissing' ? 'Normal' : 'Warning',
      reason,
      action: 'Reconcile',
      note: message,
    })
  }
}
