import { stroopsFromLumens } from '../../../../platform/core/amounts/stroops.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { MetricDeclaration } from '../../../runtime/metrics/metric-declaration.ts'
import {
  createObjectGauges,
  type GaugeRegistry,
  type Sample,
  type WatchInformer,
} from '../../metrics/gauges.ts'
import { isUnderWay } from '../../references/rotation-state.ts'

/** Metrics of ChannelPools; a deleted pool has none. */
export const poolMetricTable = {
  channels: {
    kind: 'gauge',
    name: 'svc_pool_channels',
    labels: ['namespace', 'name', 'channelpool', 'state'],
    help: 'Channels of a ChannelPool in its status, by state: wanted (specified), ready, in_use, draining or quarantined.',
  },
  balance: {
    kind: 'gauge',
    name: 'svc_pool_sponsor_balance_stroops',
    labels: ['namespace', 'name', 'channelpool'],
    help: 'Balance in stroops of the sponsor of a ChannelPool, from its status.',
  },
  spendable: {
    kind: 'gauge',
    name: 'svc_pool_sponsor_spendable_stroops',
    labels: ['namespace', 'name', 'channelpool'],
    help: 'Stroops that the sponsor of a ChannelPool can spend, without what the ledger locks, from its status.',
  },
  runway: {
    kind: 'gauge',
    name: 'svc_pool_runway_hours',
    labels: ['namespace', 'name', 'channelpool'],
    help: 'Hours that the balance of the sponsor of a ChannelPool lasts at the spending rate of the last hour; absent while nothing is spent.',
  },
  rotation: {
    kind: 'gauge',
    name: 'svc_pool_rotation_phase_started_seconds',
    labels: ['namespace', 'name', 'channelpool', 'phase', 'blocked'],
    help: 'Unix time at which the present phase of a change of the sponsor of a ChannelPool began, from its status; absent while none is under way.',
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>

type PoolMetric = keyof typeof poolMetricTable

/** Channels, balance and runway of every pool, by its status. */
export const createPoolGauges = (registry: GaugeRegistry): WatchInformer<ChannelPool> =>
  createObjectGauges(registry, poolMetricTable, samplesOf)

function samplesOf({ metadata, status }: ChannelPool): readonly Sample<PoolMetric>[] {
  const { channels, sponsor } = status ?? {}
  const { namespace, name } = metadata
  const labels = { namespace, name, channelpool: name }
  const counts = channels && {
    wanted: channels.wanted,
    ready: channels.ready,
    in_use: channels.inUse,
    draining: channels.draining,
    quarantined: channels.quarantined,
  }
  const samples = Object.entries(counts ?? {}).map(
    ([state, value]): Sample<PoolMetric> => ({
      metric: 'channels',
      labels: { ...labels, state },
      value,
    }),
  )
  if (sponsor?.balanceXlm !== undefined) {
    const value = Number(stroopsFromLumens(sponsor.balanceXlm))
    samples.push({ metric: 'balance', labels, value })
  }
  if (sponsor?.spendableXlm !== undefined) {
    const value = Number(stroopsFromLumens(sponsor.spendableXlm))
    samples.push({ metric: 'spendable', labels, value })
  }
  if (sponsor?.runwayHours !== undefined) {
    samples.push({ metric: 'runway', labels, value: sponsor.runwayHours })
  }
  const rotation = status?.rotation
  if (isUnderWay(rotation)) {
    const { phase, blocked, since } = rotation
    const series = { ...labels, phase, blocked: String(blocked) }
    samples.push({ metric: 'rotation', labels: series, value: Date.parse(since) / 1_000 })
  }
  return samples
}
