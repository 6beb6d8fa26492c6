import type { ChannelPool } from '../../api/channel-pool.ts'
import { stroopsFromLumens } from '../../core/stroops.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Labels, MetricDeclaration } from '../../kube/metrics.ts'
import type { GaugeRegistry } from '../resource-gauges.ts'

/** How pools stand, by their status; nothing is told of one that is gone. */
export const poolMetricTable = {
  channels: {
    kind: 'gauge',
    name: 'svc_pool_channels',
    labels: ['namespace', 'name', 'state'],
    help: 'Channels of a ChannelPool when last looked at: wanted, ready, in_use, draining, quarantined.',
  },
  balance: {
    kind: 'gauge',
    name: 'svc_pool_sponsor_balance_stroops',
    labels: ['namespace', 'name'],
    help: 'Balance of the sponsor of a ChannelPool when last looked at.',
  },
  runway: {
    kind: 'gauge',
    name: 'svc_pool_runway_hours',
    labels: ['namespace', 'name'],
    help: 'Hours until the sponsor of a ChannelPool has spent its balance at the rate of the last hour; absent while nothing is spent.',
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>

interface Sample {
  readonly metric: keyof typeof poolMetricTable
  readonly labels: Labels
  readonly value: number
}

/** Declares the table, and keeps it as the pools of the informer are. */
export function watchPools(
  registry: GaugeRegistry,
  informer: Pick<Informer<ChannelPool>, 'onChange'>,
): void {
  const gauges = {
    channels: registry.gauge(poolMetricTable.channels),
    balance: registry.gauge(poolMetricTable.balance),
    runway: registry.gauge(poolMetricTable.runway),
  }
  informer.onChange(({ type, object, previous }) => {
    for (const { metric, labels } of previous ? samplesOf(previous) : []) {
      gauges[metric].remove(labels)
    }
    if (type === 'deleted') return
    for (const { metric, labels, value } of samplesOf(object)) gauges[metric].set(labels, value)
  })
}

function samplesOf({ metadata, status }: ChannelPool): readonly Sample[] {
  const { channels, sponsor } = status ?? {}
  const labels = { namespace: metadata.namespace, name: metadata.name }
  const counts = channels && {
    wanted: channels.wanted,
    ready: channels.ready,
    in_use: channels.inUse,
    draining: channels.draining,
    quarantined: channels.quarantined,
  }
  const samples = Object.entries(counts ?? {}).map(
    ([state, value]): Sample => ({ metric: 'channels', labels: { ...labels, state }, value }),
  )
  if (sponsor?.balanceXlm !== undefined) {
    const value = Number(stroopsFromLumens(sponsor.balanceXlm))
    samples.push({ metric: 'balance', labels, value })
  }
  if (sponsor?.runwayHours !== undefined) {
    samples.push({ metric: 'runway', labels, value: sponsor.runwayHours })
  }
  return samples
}
