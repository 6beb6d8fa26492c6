import { explorerRow } from './explorer-row.ts'
import { quantile, type Row, rate } from './panel.ts'
import { uptoRow } from './upto-row.ts'

/** The Grafana dashboard, row by row. */

export const rows: readonly Row[] = [
  {
    title: 'Payments',
    panels: [
      {
        title: 'Settlements',
        unit: 'reqps',
        queries: {
          '{{network}} {{outcome}}': rate('svc_settlements_total', 'network, outcome', '$net'),
        },
      },
      {
        title: 'Settlements that failed, by reason',
        unit: 'reqps',
        queries: {
          '{{network}} {{reason}}': rate(
            'svc_settlements_total',
            'network, reason',
            '$net,outcome="failure"',
          ),
        },
      },
      {
        title: 'Failures of settlements that no payer causes',
        unit: 'reqps',
        queries: {
          '{{namespace}}/{{facilitator}} {{network}} {{reason}}': rate(
            'svc_settlement_failures_total',
            'namespace, facilitator, network, reason',
            '$net',
          ),
        },
      },
      {
        title: 'Verifications',
        unit: 'reqps',
        queries: {
          '{{network}} {{outcome}}': rate('svc_verifications_total', 'network, outcome', '$net'),
        },
      },
      {
        title: 'Response time',
        unit: 's',
        queries: {
          '{{route}} p50': quantile(0.5, 'svc_http_request_duration_seconds', 'route, ', '$of'),
          '{{route}} p99': quantile(0.99, 'svc_http_request_duration_seconds', 'route, ', '$of'),
        },
      },
      {
        title: 'Stages of a payment, p95',
        unit: 's',
        queries: {
          '{{stage}}': quantile(0.95, 'svc_payment_stage_duration_seconds', 'stage, ', '$net'),
        },
      },
      {
        title: 'Unfinished settlements',
        unit: 'short',
        queries: {
          '{{network}}': 'max by (network) (svc_settlements_unfinished{$net})',
          '{{network}} unresolvable': 'max by (network) (svc_settlements_unresolvable{$net})',
        },
      },
    ],
  },
  {
    title: 'Channels and sponsor',
    panels: [
      {
        title: 'Channels',
        unit: 'short',
        queries: {
          '{{network}} in use': 'max by (network) (svc_channels_in_use{$net})',
          '{{network}} configured': 'max by (network) (svc_channels_total{$net})',
        },
      },
      {
        title: 'Wait for a channel, p95',
        unit: 's',
        queries: {
          '{{network}}': quantile(0.95, 'svc_channel_lease_wait_seconds', 'network, ', '$net'),
        },
      },
      {
        title: 'Time to confirm, p95',
        unit: 's',
        queries: {
          '{{network}}': quantile(0.95, 'svc_settlement_confirm_seconds', 'network, ', '$net'),
        },
      },
      {
        title: 'Sponsor balance in XLM',
        unit: 'short',
        queries: { '{{network}}': 'min by (network) (svc_sponsor_balance_stroops{$net}) / 1e7' },
      },
      {
        title: 'XLM that the sponsor can spend, and the least for a settlement',
        unit: 'short',
        queries: {
          '{{network}}': 'min by (network) (svc_sponsor_spendable_stroops{$net}) / 1e7',
          '{{network}} least': 'max by (network) (svc_sponsor_minimum_stroops{$net}) / 1e7',
        },
      },
      {
        title: 'Remaining hourly spending limit, in XLM',
        unit: 'short',
        queries: {
          '{{network}}': 'min by (network) (svc_sponsor_budget_left_stroops{$net}) / 1e7',
        },
      },
    ],
  },
  {
    title: 'Pools and resources',
    panels: [
      {
        title: 'Channels of pools',
        unit: 'short',
        queries: {
          '{{namespace}}/{{name}} {{state}}':
            'max by (namespace, name, state) (svc_pool_channels{$ns})',
        },
      },
      {
        title: 'Hours until a sponsor has spent its balance',
        unit: 'h',
        queries: {
          '{{namespace}}/{{name}}': 'min by (namespace, name) (svc_pool_runway_hours{$ns})',
        },
      },
      {
        title: 'Resources that are not ready',
        unit: 'short',
        queries: {
          '{{kind}} {{namespace}}/{{name}}':
            'max by (kind, namespace, name) (svc_resource_condition{$ns,type="Ready",status!="True"})',
        },
      },
      {
        title: 'Resources that are degraded, not funded or paused',
        unit: 'short',
        queries: {
          '{{kind}} {{namespace}}/{{name}} degraded':
            'max by (kind, namespace, name) (svc_resource_condition{$ns,type="Degraded",status="True"})',
          '{{kind}} {{namespace}}/{{name}} not funded':
            'max by (kind, namespace, name) (svc_resource_condition{$ns,type="Funded",status="False"})',
          '{{kind}} {{namespace}}/{{name}} paused':
            'max by (kind, namespace, name) (svc_resource_paused{$ns}) > 0',
        },
      },
      {
        title: 'XLM that the sponsors of pools can spend',
        unit: 'short',
        queries: {
          '{{namespace}}/{{name}}':
            'min by (namespace, name) (svc_pool_sponsor_spendable_stroops{$ns}) / 1e7',
        },
      },
      {
        title: 'Seconds that a change of the sponsor has been in its phase',
        unit: 's',
        queries: {
          '{{namespace}}/{{name}} {{phase}}':
            'time() - max by (namespace, name, phase) (svc_pool_rotation_phase_started_seconds{$ns})',
        },
      },
      {
        title: 'Seconds since the operator heard of a kind',
        unit: 's',
        queries: {
          '{{pod}} {{kind}}':
            'time() - max by (pod, kind) (svc_controller_watch_last_activity_timestamp_seconds)',
        },
      },
    ],
  },
  {
    title: 'Dependencies of payments',
    panels: [
      {
        title: 'Requests to Stellar RPC',
        unit: 'reqps',
        queries: {
          '{{endpoint}} {{outcome}}': rate('svc_rpc_requests_total', 'endpoint, outcome', '$net'),
        },
      },
      {
        title: 'Stellar RPC, p95',
        unit: 's',
        queries: {
          '{{endpoint}} {{method}}': quantile(
            0.95,
            'svc_rpc_request_duration_seconds',
            'endpoint, method, ',
            '$net',
          ),
        },
      },
      {
        title: 'Requests that wait for Stellar RPC',
        unit: 'short',
        queries: {
          '{{endpoint}} {{queue}}': 'sum by (endpoint, queue) (svc_rpc_queued_requests{$net})',
        },
      },
      {
        title: 'Wait for a database connection, p95',
        unit: 's',
        queries: { wait: quantile(0.95, 'svc_database_connection_wait_seconds', '', '$of') },
      },
      {
        title: 'Database connections',
        unit: 'short',
        queries: {
          '{{state}}': 'sum by (state) (svc_database_connections{$of})',
          'waiting queries': 'sum(svc_database_waiting_queries{$of})',
        },
      },
      {
        title: 'Errors of background tasks',
        unit: 'reqps',
        queries: { '{{task}}': rate('svc_background_errors_total', 'task', '$of') },
      },
      {
        title: 'Refused by the rate limiter',
        unit: 'reqps',
        queries: {
          refused: 'sum(rate(svc_rate_limited_total{$of}[$__rate_interval]))',
          'counted per replica only':
            'sum(rate(svc_rate_limit_unshared_total{$of}[$__rate_interval]))',
        },
      },
    ],
  },
  {
    title: 'Operator',
    panels: [
      {
        title: 'Leading operators',
        unit: 'short',
        kind: 'stat',
        queries: { leaders: 'sum(svc_controller_leader)' },
      },
      {
        title: 'Reconciles',
        unit: 'reqps',
        queries: {
          '{{controller}} {{result}}': rate(
            'svc_controller_reconcile_total',
            'controller, result',
            '',
          ),
        },
      },
      {
        title: 'Duration of a reconcile, p99',
        unit: 's',
        queries: {
          '{{controller}}': quantile(
            0.99,
            'svc_controller_reconcile_time_seconds',
            'controller, ',
            '',
          ),
        },
      },
      {
        title: 'Queues',
        unit: 'short',
        queries: {
          '{{name}} waiting': 'sum by (name) (svc_controller_workqueue_depth)',
          '{{name}} retries':
            'sum by (name) (rate(svc_controller_workqueue_retries_total[$__rate_interval]))',
        },
      },
      {
        title: 'Requests to the Kubernetes API',
        unit: 'reqps',
        queries: {
          '{{verb}} {{code}}': rate('svc_controller_api_requests_total', 'verb, code', ''),
        },
      },
      {
        title: 'Watch restarts',
        unit: 'reqps',
        queries: {
          '{{kind}} {{cause}}': rate('svc_controller_watch_restarts_total', 'kind, cause', ''),
        },
      },
      {
        title: 'Objects in caches',
        unit: 'short',
        queries: { '{{kind}}': 'max by (kind) (svc_controller_cached_objects)' },
      },
    ],
  },
  {
    title: 'Catalog',
    panels: [
      {
        title: 'Listings',
        unit: 'short',
        queries: { '{{state}}': 'max by (state) (svc_catalog_listings{$of})' },
      },
      {
        title: 'Age of the oldest declaration that is not recorded',
        unit: 's',
        queries: { outbox: 'max(svc_catalog_outbox_oldest_seconds{$of})' },
      },
      {
        title: 'Outcomes of declarations',
        unit: 'reqps',
        queries: {
          '{{phase}} {{status}} {{code}}': rate(
            'svc_catalog_outcomes_total',
            'phase, status, code',
            '$of',
          ),
        },
      },
      {
        title: 'Searches',
        unit: 's',
        queries: {
          '{{method}} p50': quantile(0.5, 'svc_search_duration_seconds', 'method, ', '$of'),
          '{{method}} p95': quantile(0.95, 'svc_search_duration_seconds', 'method, ', '$of'),
        },
      },
      {
        title: 'Search index behind the catalog',
        unit: 's',
        queries: { behind: 'max(svc_search_index_behind_seconds{$of})' },
      },
      {
        title: 'Builds of the search index, p95',
        unit: 's',
        queries: {
          '{{result}}': quantile(0.95, 'svc_search_index_build_seconds', 'result, ', '$of'),
        },
      },
    ],
  },
  uptoRow,
  explorerRow,
  {
    title: 'Processes',
    panels: [
      {
        title: 'Memory',
        unit: 'bytes',
        queries: { '{{pod}}': 'max by (pod) (svc_process_resident_memory_bytes)' },
      },
      {
        title: 'CPU',
        unit: 'percentunit',
        queries: {
          '{{pod}}': 'sum by (pod) (rate(svc_process_cpu_seconds_total[$__rate_interval]))',
        },
      },
      {
        title: 'Event loop lag, p99',
        unit: 's',
        queries: { '{{pod}}': 'max by (pod) (svc_process_nodejs_eventloop_lag_p99_seconds)' },
      },
    ],
  },
]
