import {
  type ChannelPoolCondition,
  type ChannelPoolReason,
  channelPoolConditionTypes,
} from '../../../crd/channel-pool/conditions.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { EventFacts } from '../../../runtime/events/events.ts'
import {
  createReporter,
  eventTypeOf,
  type Report,
  type ReporterDeps,
} from '../../reporting/report.ts'
import { channelPoolType } from '../../watches/resource-types.ts'

export const createPoolReport = (deps: ReporterDeps): Report<ChannelPool, ChannelPoolCondition> =>
  createReporter({
    ...deps,
    type: channelPoolType,
    conditionTypes: Object.keys(channelPoolConditionTypes),
    eventsOf,
    stalledBy,
  })

/** One event for a new Ready, one for what the pool newly differs in from its spec, and one for a sponsor that has too little left, each of another reason. */
function eventsOf(
  conditions: readonly ChannelPoolCondition[],
  isNew: (condition: ChannelPoolCondition) => boolean,
): readonly { type: EventFacts['type']; condition: ChannelPoolCondition }[] {
  const find = (type: ChannelPoolCondition['type'], status: ChannelPoolCondition['status']) =>
    conditions.filter((each) => each.type === type && each.status === status)
  const degraded = find('Degraded', 'True')
  const ready = conditions.find(({ type }) => type === 'Ready')
  // While a pool serves as before, Degraded says what is wrong.
  const isSaid = ready?.status === 'True' && degraded.some(({ reason }) => reason === ready.reason)
  const first = ready ?? conditions.find(({ type }) => type !== 'Degraded')
  const bad = [...degraded, ...find('Funded', 'False')].filter(
    // A rotation has events of its own.
    ({ reason }, at, all) =>
      (isSaid || reason !== first?.reason) &&
      reason !== 'RotationBlocked' &&
      all.findIndex((each) => each.reason === reason) === at,
  )
  return [
    ...(first && !isSaid && isNew(first)
      ? [{ type: eventTypeOf(first, normalReasons), condition: first }]
      : []),
    ...bad.filter(isNew).map((condition) => ({
      type: normalReasons.has(condition.reason) ? ('Normal' as const) : ('Warning' as const),
      condition,
    })),
  ]
}

/** The migration of a Facilitator ends the second, and nothing is wrong with the first. */
const notStalled: ReadonlySet<ChannelPoolReason> = new Set(['Settled', 'StoreSchemaOutdated'])

/**
 * A blocker that an administrator has to solve, or a sponsor that cannot pay for what is missing. Not an outage of
 * the database or of RPC, whose pool has the Ready Unknown.
 */
export function stalledBy(
  conditions: readonly ChannelPoolCondition[],
): ChannelPoolCondition | undefined {
  const find = (which: ChannelPoolCondition['type']) =>
    conditions.find(({ type }) => type === which)
  const [ready, progressing, degraded] = [find('Ready'), find('Progressing'), find('Degraded')]
  if (degraded?.reason === 'SponsorShort' || degraded?.reason === 'SponsorCannotPay') {
    return degraded
  }
  if (progressing?.status !== 'False' || ready?.status === 'Unknown') return undefined
  return notStalled.has(progressing.reason) ? undefined : progressing
}

/** A pool has these reasons for a while whenever it is created or changed. */
const normalReasons: ReadonlySet<string> = new Set(['Empty', 'ChannelsMissing'])
