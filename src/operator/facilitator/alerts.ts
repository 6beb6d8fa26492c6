/*
 * Every alert that comes with the project, on metrics of docs/metrics.md. Those of scope `facilitator` go
 * into a PrometheusRule beside each Facilitator, those of scope `operator` into the chart. Critical means
 * that somebody acts within five minutes, warning within an hour.
 */

export interface Alert {
  readonly name: string
  readonly scope: 'facilitator' | 'operator'
  readonly severity: 'critical' | 'warning'
  /** How long it has to be so, as Prometheus writes durations. */
  readonly for: string
  /** `of` narrows a metric to those whose alert this is, with other matchers between its braces. */
  readonly expr: (of: Selector) => string
  readonly summary: string
  /** Names labels as `{{ $labels.network }}`. */
  readonly description: string
}

/** The name of a metric with matchers: `of('svc_x', 'a="b"')` is `svc_x{job="j",a="b"}`. */
export type Selector = (metric: string, matchers?: string) => string

/** A rule as Prometheus reads it. */
export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const settleCount = 'svc_http_request_duration_seconds_count'
const settleRoute = 'route="/settle"'

/** Share of the settle calls that ended in an error of ours, over a time. */
const settleErrors = (of: Selector, over: string): string => {
  const failed = `sum(rate(${of(settleCount, `${settleRoute},status=~"5.."`)}[${over}]))`
  return `(${failed} / sum(rate(${of(settleCount, settleRoute)}[${over}])))`
}

/** 99.9 % of the settle calls shall not end in a 5xx. */
const ERROR_BUDGET = 0.001

/** Fast enough in both windows: the long one for weight, the short one so that it ends when it is over. */
const burns = (of: Selector, times: number, long: string, short: string): string => {
  const limit = Number((times * ERROR_BUDGET).toFixed(4))
  return `${settleErrors(of, long)} > ${limit} and ${settleErrors(of, short)} > ${limit}`
}

export const alerts: readonly Alert[] = [
  {
    name: 'X402ChannelsExhausted',
    scope: 'facilitator',
    severity: 'critical',
    for: '5m',
    expr: (of) =>
      `histogram_quantile(0.95, sum by (namespace, network, le) (rate(${of('svc_channel_lease_wait_seconds_bucket')}[5m]))) > 1`,
    summary: 'Settlements wait for channels.',
    description:
      'On {{ $labels.network }} one settlement in twenty waits over a second for a channel: give the ChannelPool more channels.',
  },
  {
    name: 'X402SponsorBalanceLow',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => {
      const balance = of('svc_sponsor_balance_stroops')
      return `min by (namespace, network) (predict_linear(${balance}[6h], 86400)) < 0`
    },
    summary: 'The sponsor runs out of XLM within a day.',
    description:
      'At the rate of the last six hours the sponsor on {{ $labels.network }} has nothing left within 24 hours: send it XLM.',
  },
  {
    name: 'X402SettleErrorsFast',
    scope: 'facilitator',
    severity: 'critical',
    for: '2m',
    expr: (of) => burns(of, 14.4, '1h', '5m'),
    summary: 'Many settlements end in an error.',
    description:
      '{{ $value | humanizePercentage }} of the settle calls of the last hour ended in a 5xx: a month of error budget is gone in two days.',
  },
  {
    name: 'X402SettleErrorsSlow',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => burns(of, 6, '6h', '30m'),
    summary: 'Settlements keep ending in errors.',
    description:
      '{{ $value | humanizePercentage }} of the settle calls of the last six hours ended in a 5xx: a month of error budget is gone in five days.',
  },
  {
    name: 'X402RpcFailing',
    scope: 'facilitator',
    severity: 'critical',
    for: '5m',
    expr: (of) => {
      const failed = rpcRate(of('svc_rpc_requests_total', 'outcome=~"transport|unreadable"'))
      return `${failed} / ${rpcRate(of('svc_rpc_requests_total'))} > 0.5`
    },
    summary: 'Stellar RPC does not answer.',
    description:
      'Over half of the requests to the RPC endpoints of {{ $labels.network }} fail: payments cannot be simulated and sent.',
  },
  {
    name: 'X402StoreDown',
    scope: 'facilitator',
    severity: 'critical',
    for: '2m',
    expr: (of) =>
      `sum by (namespace) (rate(${of('svc_background_errors_total', 'task="reconcile"')}[2m])) > 0`,
    summary: 'The database does not answer.',
    description:
      'Facilitator pods in {{ $labels.namespace }} cannot read the settlements of their database: nothing is settled until it is back.',
  },
  {
    name: 'X402SettlementsUnresolvable',
    scope: 'facilitator',
    severity: 'warning',
    for: '5m',
    expr: (of) => `max by (namespace, network) (${of('svc_settlements_unresolvable')}) > 0`,
    summary: 'Settlements wait for a person.',
    description:
      'Nobody can tell what became of {{ $value }} settlements on {{ $labels.network }}: look with svc settlements, and end them.',
  },
  {
    name: 'X402OperatorNoLeader',
    scope: 'operator',
    severity: 'critical',
    for: '2m',
    expr: (of) => `(sum(${of('svc_controller_leader')}) or vector(0)) < 1`,
    summary: 'No operator leads.',
    description:
      'Nobody reconciles Facilitators and ChannelPools. Payments go on; changes, scaling and repairs do not.',
  },
  {
    name: 'X402OperatorReconcileErrors',
    scope: 'operator',
    severity: 'warning',
    for: '10m',
    expr: (of) => {
      const rate = (metric: string) => `sum by (controller) (rate(${of(metric)}[10m]))`
      return `${rate('svc_controller_reconcile_errors_total')} / ${rate('svc_controller_reconcile_total')} > 0.1`
    },
    summary: 'The operator fails to reconcile.',
    description:
      '{{ $value | humanizePercentage }} of the reconciles of {{ $labels.controller }} fail: the log of the operator says why.',
  },
  {
    name: 'X402OperatorQueueStuck',
    scope: 'operator',
    severity: 'warning',
    for: '5m',
    expr: (of) =>
      `max by (name) (${of('svc_controller_workqueue_longest_running_processor_seconds')}) > 120`,
    summary: 'A reconcile does not end.',
    description:
      'The oldest work of {{ $labels.name }} has lasted {{ $value | humanizeDuration }}: something that it waits for does not answer.',
  },
  {
    name: 'X402ObjectNotReady',
    scope: 'operator',
    severity: 'warning',
    for: '15m',
    expr: (of) => {
      const notReady = of('svc_resource_condition', 'type="Ready",status!="True"')
      const { isBeingDeleted } = resources(of)
      return `(max by (kind, namespace, name) (${notReady}) > 0) unless ${isBeingDeleted}`
    },
    summary: 'A Facilitator or ChannelPool is not ready.',
    description:
      '{{ $labels.kind }} {{ $labels.name }} in {{ $labels.namespace }} has not been ready for 15 minutes: its condition Ready says why.',
  },
  {
    name: 'X402DeletionStuck',
    scope: 'operator',
    severity: 'warning',
    for: '1m',
    expr: (of) => `time() - ${resources(of).isBeingDeleted} > 900`,
    summary: 'A Facilitator or ChannelPool does not go away.',
    description:
      '{{ $labels.kind }} {{ $labels.name }} in {{ $labels.namespace }} has been being deleted for {{ $value | humanizeDuration }}: its conditions say what keeps it.',
  },
]

const resources = (of: Selector) => ({
  isBeingDeleted: `max by (kind, namespace, name) (${of('svc_resource_deletion_timestamp_seconds')})`,
})

const rpcRate = (metric: string): string => `sum by (namespace, network) (rate(${metric}[5m]))`

/** Where the page of each alert is, without a slash at the end; `<alert>.md` follows. */
export const RUNBOOKS = 'docs/runbooks'

export interface AlertRuleOptions {
  readonly scope: Alert['scope']
  /** What all metrics must match, as in `namespace="a",pod="b"`; empty for all there are. */
  readonly matchers: string
  readonly runbooks?: string
}

/** The rules of one scope. */
export function alertRules({
  scope,
  matchers,
  runbooks = RUNBOOKS,
}: AlertRuleOptions): readonly AlertRule[] {
  const of: Selector = (metric, more = '') => {
    const all = [matchers, more].filter((each) => each !== '').join(',')
    return all === '' ? metric : `${metric}{${all}}`
  }
  return alerts
    .filter((alert) => alert.scope === scope)
    .map(({ name, severity, expr, summary, description, for: lasting }) => ({
      alert: name,
      expr: expr(of),
      for: lasting,
      labels: { severity },
      annotations: { summary, description, runbook_url: `${runbooks}/${name}.md` },
    }))
}
