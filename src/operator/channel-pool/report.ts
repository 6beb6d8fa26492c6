import type { ChannelPool } from '../../api/channel-pool.ts'
import {
  type ChannelPoolCondition,
  channelPoolConditionTypes,
} from '../../api/channel-pool-conditions.ts'
import type { EventFacts } from '../../kube/events.ts'
import { createReporter, type Report, type ReporterDeps } from '../report.ts'
import { channelPoolType } from '../resource-types.ts'

export const createPoolReport = (deps: ReporterDeps): Report<ChannelPool, ChannelPoolCondition> =>
  createReporter({
    ...deps,
    type: channelPoolType,
    conditionTypes: Object.keys(channelPoolConditionTypes),
    eventsOf: ([first], isNew) =>
      first && isNew(first) ? [{ type: eventTypeOf(first), condition: first }] : [],
  })

/** A pool has these reasons for a while whenever it is created or changed. */
const normalReasons: ReadonlySet<string> = new Set(['Empty', 'ChannelsMissing'])

const eventTypeOf = ({ status, reason }: ChannelPoolCondition): EventFacts['type'] =>
  status === 'True' || normalReasons.has(reason) ? 'Normal' : 'Warning'
