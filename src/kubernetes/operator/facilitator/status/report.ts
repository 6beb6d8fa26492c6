import {
  type FacilitatorCondition,
  facilitatorConditionTypes,
} from '../../../crd/facilitator/conditions.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import type { EventFacts } from '../../../runtime/events/events.ts'
import {
  createReporter,
  eventTypeOf,
  type Report,
  type ReporterDeps,
} from '../../reporting/report.ts'
import { facilitatorType } from '../../watches/resource-types.ts'

export const createFacilitatorReport = (
  deps: ReporterDeps,
): Report<Facilitator, FacilitatorCondition> =>
  createReporter({
    ...deps,
    type: facilitatorType,
    conditionTypes: Object.keys(facilitatorConditionTypes),
    eventsOf,
    stalledBy,
  })

/** Kinds that the spec asks for, and that the cluster lacks. */
const unserved: ReadonlySet<string> = new Set(['RouteUnavailable', 'MonitoringUnavailable'])

/** A rollout that ended without success, anything that keeps one from starting, or a child that cannot be created. */
export const stalledBy = (
  conditions: readonly FacilitatorCondition[],
): FacilitatorCondition | undefined =>
  conditions.find(({ type, status, reason }) =>
    type === 'Progressing'
      ? status === 'False' && reason !== 'RolledOut'
      : type === 'Degraded' && unserved.has(reason),
  )

/** One event for a new Ready, one for a new Degraded that has another reason, and one for each of the notes. */
function eventsOf(
  conditions: readonly FacilitatorCondition[],
  isNew: (condition: FacilitatorCondition) => boolean,
): readonly { type: EventFacts['type']; condition: FacilitatorCondition }[] {
  const ready = conditions.find(({ type }) => type === 'Ready')
  const notes = conditions.filter(({ reason }) => noted.has(reason))
  // A pool has events of its own.
  const degraded = conditions.find(
    ({ type, reason }) => type === 'Degraded' && reason !== 'PoolDegraded',
  )
  return [
    ...(ready && isNew(ready)
      ? [{ type: eventTypeOf(ready, normalReasons), condition: ready }]
      : []),
    ...(degraded?.status === 'True' && degraded.reason !== ready?.reason && isNew(degraded)
      ? [{ type: 'Warning' as const, condition: degraded }]
      : []),
    ...notes.filter(isNew).map((condition) => ({ type: 'Normal' as const, condition })),
  ]
}

/** A database that is newer than the image, and a rollout that waits for its turn. */
const noted: ReadonlySet<string> = new Set(['SchemaNewer', 'RolloutWaiting'])

/** A Facilitator has these reasons for a while whenever it is created or changed. */
const normalReasons: ReadonlySet<string> = new Set([
  'Migrating',
  'ReplicasNotReady',
  'ScaledToZero',
  'Deleting',
  'PoolNotReady',
])
