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

/** One event for what comes first, and one for a sponsor that has too little left, unless the first says so. */
function eventsOf(
  conditions: readonly ChannelPoolCondition[],
  isNew: (condition: ChannelPoolCondition) => boolean,
): readonly { type: EventFacts['type']; condition: ChannelPoolCondition }[] {
  const [first] = conditions
  const unfunded = conditions.find(({ type, status }) => type === 'Funded' && status === 'False')
  return [
    ...(first && isNew(first)
      ? [{ type: eventTypeOf(first, normalReasons), condition: first }]
      : []),
    ...(unfunded && unfunded.reason !== first?.reason && isNew(unfunded)
      ? [{ type: 'Warning' as const, condition: unfunded }]
      : []),
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
  const [ready, progressing] = [find('Ready'), find('Progressing')]
  if (ready?.reason === 'SponsorShort' || ready?.reason === 'SponsorCannotPay') return ready
  if (progressing?.status !== 'False' || ready?.status === 'Unknown') return undefined
  return notStalled.has(progressing.reason) ? undefined : progressing
}

/** A pool has these reasons for a while whenever it is created or changed. */
const normalReasons: ReadonlySet<string> = new Set(['Empty', 'ChannelsMissing'])
