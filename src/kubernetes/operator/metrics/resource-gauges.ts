import type { KindName } from '../../crd/names/group.ts'
import { isMarked } from '../../crd/names/marks.ts'
import type { Condition } from '../../runtime/objects/conditions.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'
import {
  createObjectGauges,
  type GaugeRegistry,
  type Sample,
  type WatchInformer,
} from './gauges.ts'
import { type ResourceMetric, resourceMetricTable } from './metric-table.ts'

/** A Facilitator or a ChannelPool. */
interface Reported extends KubeObject {
  readonly kind: KindName
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined
        readonly conditions?: readonly Pick<Condition, 'type' | 'status'>[] | undefined
      }
    | undefined
}

/** Generations, conditions and deletion of every resource of both kinds. */
export const createResourceGauges = (registry: GaugeRegistry): WatchInformer<Reported> =>
  createObjectGauges(registry, resourceMetricTable, samplesOf)

const ownLabel: Readonly<Record<KindName, string>> = {
  Facilitator: 'facilitator',
  ChannelPool: 'channelpool',
}

function samplesOf(object: Reported): readonly Sample<ResourceMetric>[] {
  const { kind, metadata, status } = object
  const { name, namespace = '', generation, deletionTimestamp } = metadata
  const labels = { kind, namespace, name, [ownLabel[kind]]: name }
  const sample = (
    metric: ResourceMetric,
    value: number | undefined,
  ): readonly Sample<ResourceMetric>[] => (value === undefined ? [] : [{ metric, labels, value }])
  return [
    ...sample('generation', generation),
    ...sample('observedGeneration', status?.observedGeneration),
    ...sample('paused', isMarked(object, 'paused') ? 1 : 0),
    ...sample('deletion', deletionTimestamp === undefined ? undefined : seconds(deletionTimestamp)),
    ...(status?.conditions ?? []).map(
      (condition): Sample<ResourceMetric> => ({
        metric: 'condition',
        labels: { ...labels, type: condition.type, status: condition.status },
        value: 1,
      }),
    ),
  ]
}

const seconds = (timestamp: string): number => Date.parse(timestamp) / 1_000
