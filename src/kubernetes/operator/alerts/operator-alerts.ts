import { type Alert, install } from './alert.ts'

export const operatorAlerts: readonly Alert[] = [
  {
    name: 'X402OperatorNoLeader',
    scope: 'operator',
    severity: 'critical',
    for: '2m',
    // absent() takes its labels from the matchers, so both parts name the same install.
    expr: (of) => {
      const leader = of('svc_controller_leader')
      return `(sum by (${install}) (${leader}) < 1) or absent(${leader})`
    },
    summary: 'No operator leads.',
    description:
      'No operator of {{ $labels.job }} reconciles Facilitators and ChannelPools. Payments continue; changes, scaling and repairs do not.',
  },
  {
    name: 'X402OperatorReconcileErrors',
    scope: 'operator',
    severity: 'warning',
    for: '10m',
    expr: (of) => {
      const rate = (metric: string) => `sum by (${install}, controller) (rate(${of(metric)}[10m]))`
      return `${rate('svc_controller_reconcile_errors_total')} / ${rate('svc_controller_reconcile_total')} > 0.1`
    },
    summary: 'Reconciles of the operator fail.',
    description:
      '{{ $value | humanizePercentage }} of the reconciles of {{ $labels.controller }} by {{ $labels.job }} fail: the log of the operator says why.',
  },
  {
    name: 'X402OperatorQueueStuck',
    scope: 'operator',
    severity: 'warning',
    for: '5m',
    // The age of the oldest reconcile does not show this: at its time limit a reconcile ends, and is retried.
    expr: (of) =>
      `sum by (${install}, controller) (increase(${of('svc_controller_reconcile_total', 'result="timeout"')}[10m])) > 2`,
    summary: 'Reconciles reach their time limit.',
    description:
      '{{ $value | humanize }} reconciles of {{ $labels.controller }} by {{ $labels.job }} reached their time limit in 10 minutes: the API server, the database or Stellar RPC does not answer them.',
  },
  {
    name: 'X402OperatorStaleCache',
    scope: 'operator',
    severity: 'warning',
    for: '5m',
    // The API server sends a bookmark about once a minute even where nothing changes.
    expr: (of) => {
      const last = of('svc_controller_watch_last_activity_timestamp_seconds')
      return `time() - max by (${install}, pod, kind) (${last}) > 600`
    },
    summary: 'The operator sees no changes of a kind.',
    description:
      'Operator pod {{ $labels.pod }} of {{ $labels.job }} last heard of {{ $labels.kind }} objects {{ $value | humanizeDuration }} ago: it acts on what it knew then.',
  },
]
