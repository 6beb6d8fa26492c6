import { type Alert, raised, type Selector } from './alert.ts'
import { explorerAlerts } from './explorer-alerts.ts'
import { uptoAlerts } from './upto-alerts.ts'

/*
 * Every alert of the project, on metrics of docs/metrics.md. Scope `facilitator`: in a PrometheusRule of each
 * Facilitator; scope `operator`: in the chart. Critical: act within five minutes; warning: within an hour.
 */

/** A rule in the format of Prometheus. */
export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const settleCount = 'svc_http_request_duration_seconds_count'
const settleRoute = 'route="/settle"'

/** Share of the settle calls that ended in a 5xx. */
const settleErrors = (of: Selector, over: string): string => {
  const failed = `sum(rate(${of(settleCount, `${settleRoute},status=~"5.."`)}[${over}]))`
  return `(${failed} / sum(rate(${of(settleCount, settleRoute)}[${over}])))`
}

/** Objective: 99.9 % of the settle calls end without a 5xx. */
const ERROR_BUDGET = 0.001

/** Both windows burn the budget: the long one shows that it matters, the short one that it still goes on. */
const burnsBudget = (of: Selector, times: number, long: string, short: string): string => {
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
      'On {{ $labels.network }} 5 % of the settlements wait more than a second for a channel: give the ChannelPool more channels.',
  },
  {
    name: 'X402NoChannels',
    scope: 'facilitator',
    severity: 'critical',
    for: '2m',
    // Without samples while the first channels are created, and without pods.
    expr: (of) => `max by (namespace, network) (${of('svc_channels_usable')}) == 0`,
    summary: 'No channel is left.',
    description:
      'On {{ $labels.network }} the sponsor has no channel that can settle: every payment is refused until channels are created.',
  },
  {
    name: 'X402SponsorBalanceLow',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => {
      const spendable = of('svc_sponsor_spendable_stroops')
      return `min by (namespace, network) (predict_linear(${spendable}[6h], 86400)) < 0`
    },
    summary: 'The sponsor will have no XLM to spend within a day.',
    description:
      'At the rate of the last six hours the sponsor on {{ $labels.network }} has nothing left to spend within 24 hours: send it XLM.',
  },
  {
    name: 'X402SettleErrorsFast',
    scope: 'facilitator',
    severity: 'critical',
    for: '2m',
    expr: (of) => burnsBudget(of, 14.4, '1h', '5m'),
    summary: 'Many settlements end in an error.',
    description:
      '{{ $value | humanizePercentage }} of the settle calls of the last hour ended in a 5xx: the error budget of a month lasts two days at this rate.',
  },
  {
    name: 'X402SettleErrorsSlow',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => burnsBudget(of, 6, '6h', '30m'),
    summary: 'Settlements still end in errors.',
    description:
      '{{ $value | humanizePercentage }} of the settle calls of the last six hours ended in a 5xx: the error budget of a month lasts five days at this rate.',
  },
  {
    name: 'X402RpcFailing',
    scope: 'facilitator',
    severity: 'critical',
    for: '5m',
    expr: (of) => {
      const failed = rpcRate(of('svc_rpc_requests_total', 'outcome=~"transport|unreadable"'))
      // Those that found a queue full were never sent.
      const sent = rpcRate(of('svc_rpc_requests_total', 'outcome!="queue_full"'))
      return `${failed} / ${sent} > 0.5`
    },
    summary: 'Stellar RPC does not answer.',
    description:
      'More than half of the requests to the RPC endpoints of {{ $labels.network }} fail: payments cannot be simulated or sent.',
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
      'Facilitator pods in {{ $labels.namespace }} cannot read their database: nothing is settled until it answers again.',
  },
  {
    name: 'X402SettlementsUnresolvable',
    scope: 'facilitator',
    severity: 'warning',
    for: '5m',
    expr: (of) => `max by (namespace, network) (${of('svc_settlements_unresolvable')}) > 0`,
    summary: 'Settlements need a manual resolution.',
    description:
      'The outcome of {{ $value }} settlements on {{ $labels.network }} is unknown: examine and resolve them with svc settlements.',
  },
  {
    name: 'X402CatalogUnreadable',
    scope: 'facilitator',
    severity: 'warning',
    for: '2m',
    expr: (of) => raised(of, 'catalog_unreadable'),
    summary: 'The catalog cannot be read.',
    description:
      'Pods in {{ $labels.namespace }} cannot read the tables of the catalog: no resource is listed or found. Payments continue.',
  },
  {
    name: 'X402CatalogOutboxStuck',
    scope: 'facilitator',
    severity: 'warning',
    for: '5m',
    expr: (of) => `max by (namespace) (${of('svc_catalog_outbox_oldest_seconds')}) > 300`,
    summary: 'Settled payments do not reach the catalog.',
    description:
      'A resource that was paid for {{ $value | humanizeDuration }} ago in {{ $labels.namespace }} is not recorded in the catalog yet: no catalog pod works, or each attempt fails.',
  },
  {
    name: 'X402SearchIndexFailed',
    scope: 'facilitator',
    severity: 'warning',
    for: '2m',
    expr: (of) => raised(of, 'search_index_failed'),
    summary: 'The search index cannot be built.',
    description:
      'No catalog pod in {{ $labels.namespace }} has a search index, since the builds fail: searches end in an error. Payments and lists continue.',
  },
  {
    name: 'X402SearchIndexDegraded',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => raised(of, 'search_index_degraded'),
    summary: 'Searches are answered with less than they should be.',
    description:
      'In {{ $labels.namespace }} the embeddings endpoint fails, the search index is behind the catalog, or no catalog pod searches: the warning in /health says which.',
  },
  ...uptoAlerts,
  ...explorerAlerts,
  {
    name: 'X402OperatorNoLeader',
    scope: 'operator',
    severity: 'critical',
    for: '2m',
    expr: (of) => `(sum(${of('svc_controller_leader')}) or vector(0)) < 1`,
    summary: 'No operator leads.',
    description:
      'No operator reconciles Facilitators and ChannelPools. Payments continue; changes, scaling and repairs do not.',
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
    summary: 'Reconciles of the operator fail.',
    description:
      '{{ $value | humanizePercentage }} of the reconciles of {{ $labels.controller }} fail: the log of the operator says why.',
  },
  {
    name: 'X402OperatorQueueStuck',
    scope: 'operator',
    severity: 'warning',
    for: '5m',
    // The age of the oldest reconcile does not show this: at its time limit a reconcile ends, and is retried.
    expr: (of) =>
      `sum by (controller) (increase(${of('svc_controller_reconcile_total', 'result="timeout"')}[10m])) > 2`,
    summary: 'Reconciles reach their time limit.',
    description:
      '{{ $value | humanize }} reconciles of {{ $labels.controller }} reached their time limit in 10 minutes: the API server, the database or Stellar RPC does not answer them.',
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
    summary: 'The deletion of a Facilitator or ChannelPool does not finish.',
    description:
      'The deletion of {{ $labels.kind }} {{ $labels.name }} in {{ $labels.namespace }} started {{ $value | humanizeDuration }} ago: its conditions say what it waits for.',
  },
]

const resources = (of: Selector) => ({
  isBeingDeleted: `max by (kind, namespace, name) (${of('svc_resource_deletion_timestamp_seconds')})`,
})

const rpcRate = (metric: string): string => `sum by (namespace, network) (rate(${metric}[5m]))`

/** Folder of the runbooks; `/<alert>.md` follows. */
const RUNBOOKS = 'docs/runbooks'

export interface AlertRuleOptions {
  readonly scope: Alert['scope']
  /** Matchers of all metrics, such as `namespace="a",pod="b"`; empty for none. */
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
    .map(({ name, severity, expr, summary, description, for: duration }) => ({
      alert: name,
      expr: expr(of),
      for: duration,
      labels: { severity },
      annotations: { summary, description, runbook_url: `${runbooks}/${name}.md` },
    }))
}
