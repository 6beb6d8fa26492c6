import { MAX_MESSAGE_LENGTH } from '../../api/conditions.ts'
import type { Facilitator } from '../../api/facilitator.ts'
import { facilitatorConditionTypes } from '../../api/facilitator-conditions.ts'
import type { Clock } from '../../core/clock.ts'
import { findCondition, setConditions, unknownConditions } from '../../kube/conditions.ts'
import type { EventRecorder } from '../../kube/events.ts'
import type { StatusWriter } from '../../kube/status-writer.ts'
import { facilitatorType } from '../resource-types.ts'
import type { Figures } from './figures.ts'
import type { Observed } from './judge.ts'

export interface ReporterOptions {
  readonly statuses: StatusWriter
  readonly events: EventRecorder
  readonly clock: Clock
}

/** Tells what was observed: in the status, where it differs, and in an event where that is news. */
export type Report = (
  facilitator: Facilitator,
  conditions: readonly Observed[],
  /** The rest of the status; as it was when absent. */
  figures: Figures | undefined,
  signal: AbortSignal,
) => Promise<void>

export const createReport =
  ({ statuses, events, clock }: ReporterOptions): Report =>
  async (live, conditions, figures, signal) => {
    const { generation } = live.metadata
    const { conditions: known = [], ...before } = live.status ?? {}
    const first = unknownConditions(types, 'NotObserved', 'The operator has not looked yet.')
    const missing = first.filter(({ type }) => !findCondition(known, type))
    const observations = [...missing, ...conditions.map(fitting)]
    const next = setConditions(known, observations, { generation, now: clock.now() })
    const status = { ...(figures ?? before), observedGeneration: generation, conditions: next }
    const isNew = await statuses.write({ type: facilitatorType, live, status, signal })
    if (isNew) tellNews(live, conditions, events)
  }

const types = Object.keys(facilitatorConditionTypes)

const fitting = (condition: Observed): Observed => ({
  ...condition,
  message: condition.message.slice(0, MAX_MESSAGE_LENGTH),
})

/** News is that Ready turned or is so for another reason, and that something new degrades it. */
function tellNews(
  facilitator: Facilitator,
  conditions: readonly Observed[],
  events: EventRecorder,
): void {
  const isNews = ({ type, status, reason }: Observed) => {
    const before = findCondition(facilitator.status?.conditions, type)
    return before?.status !== status || before.reason !== reason
  }
  const ready = conditions.find(({ type }) => type === 'Ready')
  const degraded = conditions.find(({ type }) => type === 'Degraded')
  if (ready && isNews(ready)) events.record(facilitator, eventOf(ready))
  if (degraded?.status === 'True' && degraded.reason !== ready?.reason && isNews(degraded)) {
    events.record(facilitator, { ...eventOf(degraded), type: 'Warning' })
  }
}

/** Reasons that are nothing to worry about on the way. */
const usual: ReadonlySet<string> = new Set([
  'Migrating',
  'ReplicasNotReady',
  'ScaledToZero',
  'Deleting',
  'PoolNotReady',
])

const eventOf = ({ status, reason, message }: Observed) =>
  ({
    type: status === 'True' || usual.has(reason) ? 'Normal' : 'Warning',
    reason,
    action: 'Reconcile',
    note: message,
  }) as const
