import type { Clock } from '../../../platform/core/time/clock.ts'
import { MAX_MESSAGE_LENGTH } from '../../crd/fields/conditions.ts'
import { annotations } from '../../crd/names/marks.ts'
import type { ResourceMeta } from '../../crd/resource.ts'
import type { StatusWriter } from '../../runtime/apply/status-writer.ts'
import type { EventFacts, EventRecorder } from '../../runtime/events/events.ts'
import {
  type Condition,
  findCondition,
  type Observation,
  setConditions,
  unknownConditions,
} from '../../runtime/objects/conditions.ts'
import type { KubeObject, ResourceType } from '../../runtime/objects/resource.ts'
import { withoutRepeats } from './one-sentence.ts'

/** A Facilitator or a ChannelPool. */
type Reported = KubeObject & {
  readonly metadata: ResourceMeta
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined
}

type StatusOf<T extends Reported> = Partial<Omit<NonNullable<T['status']>, 'conditions'>>

/** Writes conditions and the rest of the status where they differ, and records an event for what is new. */
export type Report<T extends Reported, C extends Observation> = (
  /** The cached object: conditions that `conditions` leaves out stay as they are there. */
  live: T,
  conditions: readonly C[],
  /** The whole status but its conditions; undefined members are left out. */
  status: StatusOf<T>,
  signal: AbortSignal,
  /** Events about the new status besides its conditions: recorded when it is written. */
  events?: readonly EventFacts[],
) => Promise<void>

export interface ReporterDeps {
  readonly statuses: StatusWriter
  readonly events: EventRecorder
  readonly clock: Clock
}

interface ReporterOptions<T extends Reported, C extends Observation> extends ReporterDeps {
  readonly type: ResourceType<T>
  /** Every type that the kind has: Unknown until it is observed. */
  readonly conditionTypes: readonly string[]
  /** Selects the conditions that get an event; `isNew` says whether status or reason has changed. */
  readonly eventsOf: (
    conditions: readonly C[],
    isNew: (condition: C) => boolean,
  ) => readonly { readonly type: EventFacts['type']; readonly condition: C }[]
  /** The condition that says why nothing goes on before an administrator acts; see `writtenConditions`. */
  readonly stalledBy: (conditions: readonly C[]) => C | undefined
}

export const createReporter =
  <T extends Reported, C extends Observation>({
    type,
    conditionTypes,
    statuses,
    events,
    clock,
    eventsOf,
    stalledBy,
  }: ReporterOptions<T, C>): Report<T, C> =>
  async (live, conditions, status, signal, more = []) => {
    const { generation } = live.metadata
    const known = live.status?.conditions ?? []
    const initial = unknownConditions(conditionTypes, 'NotObserved', NOT_OBSERVED)
    const missing = initial.filter(({ type: each }) => !findCondition(known, each))
    const observations = [
      ...missing.map(withOwnMessage),
      ...writtenConditions(conditions, stalledBy),
    ]
    const next = setConditions(known, observations, { generation, now: clock.now() })
    const whole = withoutUndefined({ ...status, conditions: next })
    const isChanged = await statuses.write({ type, live, status: whole, signal })
    if (!isChanged) return
    const isNew = (condition: C) => {
      const before = findCondition(known, condition.type)
      return before?.status !== condition.status || before.reason !== condition.reason
    }
    for (const event of eventsOf(conditions, isNew)) {
      const { reason, message: note } = event.condition
      events.record(live, { type: event.type, reason, action: 'Reconcile', note })
    }
    for (const event of more) events.record(live, event)
  }

/** The conditions of a pass as the status has them: with Reconciling and Stalled, and each sentence once. */
export function writtenConditions<C extends Observation>(
  conditions: readonly C[],
  stalledBy: (conditions: readonly C[]) => C | undefined,
): readonly Observation[] {
  const progress = progressConditions(conditions, stalledBy(conditions))
  // Comparing two messages takes longer the longer both are.
  return withoutRepeats([...conditions, ...progress].map(withOwnMessage).map(withShortMessage))
}

/**
 * `Reconciling` and `Stalled`: kstatus, and so Flux and `kubectl wait`, judge a resource by these before they look at
 * Ready. At most one of them is True. None without Progressing: then both stay as they were.
 * @param cause the condition that says why nothing goes on before an administrator acts
 */
function progressConditions(
  conditions: readonly Observation[],
  cause: Observation | undefined,
): readonly Observation[] {
  const progressing = conditions.find(({ type }) => type === 'Progressing')
  if (!progressing) return []
  const isReconciling = progressing.status === 'True' && !cause
  const reconciling = isReconciling
    ? 'The operator is at work: condition Progressing says on what.'
    : 'The operator is not at work on it.'
  const none = 'Nothing waits for an administrator.'
  return [
    {
      type: 'Reconciling',
      status: isReconciling ? 'True' : 'False',
      reason: progressing.reason,
      message: reconciling,
    },
    {
      type: 'Stalled',
      status: cause ? 'True' : 'False',
      reason: cause?.reason ?? progressing.reason,
      message: cause?.message ?? none,
    },
  ]
}

/** @param normal reasons that a resource has for a while whenever it is created or changed */
export const eventTypeOf = (
  { status, reason }: Observation,
  normal: ReadonlySet<string>,
): EventFacts['type'] => (status === 'True' || normal.has(reason) ? 'Normal' : 'Warning')

/** The message of a resource that the operator does not change. */
export const PAUSED = `The annotation ${annotations.paused} is true: the operator changes nothing.`

/** The message of a condition that the operator has not observed. */
export const NOT_OBSERVED = 'The operator has not observed it yet.'

/** A status with these fields, about the spec as it is now. */
export const atGeneration = <S extends object>(
  { metadata }: Pick<Reported, 'metadata'>,
  status: S | undefined,
) => ({ ...(status as S), observedGeneration: metadata.generation })

const withOwnMessage = (condition: Observation): Observation =>
  condition.reason === 'NotObserved'
    ? { ...condition, message: `The operator has not observed ${condition.type} yet.` }
    : condition

const withShortMessage = (condition: Observation): Observation => ({
  ...condition,
  message: condition.message.slice(0, MAX_MESSAGE_LENGTH),
})

const withoutUndefined = (status: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined))
