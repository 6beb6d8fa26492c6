/**
 * The metrics that an alert or the dashboard names, and the process whose `/metrics` shows each. An alert
 * on a metric that no process exposes never fires, and nothing else reports it.
 */
import { expect } from 'vitest'
import { alertRules } from '../../src/kubernetes/operator/alerts/alerts.ts'
import { rows } from '../../tools/generate/panels.ts'

type Process = 'facilitator' | 'explorer' | 'operator'

interface Source {
  readonly of: readonly Process[]
  /** The event that adds the first sample; a metric without it has samples in every healthy process. */
  readonly from?: string
}

const facilitator: Source = { of: ['facilitator'] }
const explorer: Source = { of: ['explorer'] }
const operator: Source = { of: ['operator'] }
const all: Source = { of: ['facilitator', 'explorer', 'operator'] }

/**
 * A healthy facilitator has an hourly limit and has verified and settled a payment. A healthy explorer ingests, and has
 * read and written a ledger. A healthy operator leads and has reconciled a pool.
 */
const sources: Readonly<Record<string, Source>> = {
  svc_background_errors_total: facilitator,
  svc_catalog_listings: facilitator,
  svc_catalog_outbox_oldest_seconds: facilitator,
  svc_catalog_outcomes_total: { ...facilitator, from: 'a payment that declares a resource' },
  svc_channel_lease_wait_seconds: facilitator,
  svc_channels_in_use: facilitator,
  svc_channels_total: facilitator,
  svc_channels_usable: facilitator,
  svc_database_connection_wait_seconds: facilitator,
  svc_database_connections: facilitator,
  svc_database_waiting_queries: facilitator,
  svc_explorer_backfill_ledgers: explorer,
  svc_explorer_gap_ledgers: explorer,
  svc_explorer_ingest_failures_total: { ...explorer, from: 'a failed round of ingest' },
  svc_explorer_ingesting: explorer,
  svc_explorer_lag_ledgers: explorer,
  svc_explorer_last_ledger: explorer,
  svc_explorer_ledgers_total: explorer,
  svc_explorer_payments_total: { ...explorer, from: 'an observed payment' },
  svc_explorer_query_seconds: { ...explorer, from: 'a read' },
  svc_explorer_skipped_total: { ...explorer, from: 'a contract call that is no payment' },
  svc_health_warnings: facilitator,
  svc_http_request_duration_seconds: facilitator,
  svc_payment_stage_duration_seconds: facilitator,
  svc_rate_limit_unshared_total: facilitator,
  svc_rate_limited_total: facilitator,
  svc_rpc_request_duration_seconds: facilitator,
  svc_rpc_queued_requests: { ...facilitator, from: 'a request that waits for an endpoint' },
  svc_rpc_requests_total: facilitator,
  svc_search_duration_seconds: { ...facilitator, from: 'a search' },
  svc_search_index_behind_seconds: facilitator,
  svc_search_index_build_seconds: facilitator,
  svc_settlement_confirm_seconds: facilitator,
  svc_settlement_failures_total: facilitator,
  svc_settlements_total: facilitator,
  svc_settlements_unfinished: facilitator,
  svc_settlements_unresolvable: facilitator,
  svc_signer_up: { ...facilitator, from: 'a signer of a key outside the process' },
  svc_sponsor_balance_stroops: facilitator,
  svc_sponsor_minimum_stroops: facilitator,
  svc_sponsor_spendable_stroops: facilitator,
  svc_sponsor_budget_left_stroops: facilitator,
  svc_upto_contract_ttl_ledgers: { ...facilitator, from: 'a round of a keeper' },
  svc_upto_keeper_actions_total: { ...facilitator, from: 'an extended or restored contract' },
  svc_verifications_total: facilitator,
  svc_controller_api_requests_total: operator,
  svc_controller_cached_objects: operator,
  svc_controller_leader: operator,
  svc_controller_reconcile_errors_total: operator,
  svc_controller_reconcile_time_seconds: operator,
  svc_controller_reconcile_total: operator,
  svc_controller_watch_last_activity_timestamp_seconds: operator,
  svc_controller_watch_restarts_total: { ...operator, from: 'the end of a watch' },
  svc_controller_workqueue_depth: operator,
  svc_controller_workqueue_retries_total: { ...operator, from: 'a retried reconcile' },
  svc_pool_channels: operator,
  svc_pool_sponsor_spendable_stroops: { ...operator, from: 'a status with what can be spent' },
  svc_pool_rotation_phase_started_seconds: { ...operator, from: 'a rotation' },
  svc_pool_runway_hours: { ...operator, from: 'an hour in which the sponsor spent' },
  svc_resource_condition: operator,
  svc_resource_generation: operator,
  svc_resource_observed_generation: operator,
  svc_resource_paused: operator,
  svc_resource_deletion_timestamp_seconds: operator,
  svc_process_cpu_seconds_total: all,
  svc_process_nodejs_eventloop_lag_p99_seconds: all,
  svc_process_resident_memory_bytes: all,
}

const expressions: readonly string[] = [
  ...alertRules({ matchers: { facilitator: '', resource: '', operator: '' } }).map(
    ({ expr }) => expr,
  ),
  ...rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => Object.values(queries))),
]

/** The families that the expressions name: the series of a histogram count as one. */
export const namedMetrics: ReadonlySet<string> = new Set(
  expressions.flatMap((expression) =>
    [...expression.matchAll(/\bsvc_\w+/g)].map(([name]) =>
      name.replace(/_(bucket|count|sum)$/, ''),
    ),
  ),
)

/** Expects the exposition of a healthy process to hold every named metric of its kind. */
export function expectNamedMetrics(process: Process, exposition: string): void {
  const lines = exposition.split('\n')
  const typed = new Set(
    lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2] ?? ''),
  )
  const hasSample = (name: string) =>
    lines.some((line) => line.startsWith(name) && /^(_bucket)?[{ ]/.test(line.slice(name.length)))
  const own = [...namedMetrics].filter((name) => sources[name]?.of.includes(process))

  expect([...namedMetrics].toSorted(), 'metrics in the table').toEqual(
    Object.keys(sources).toSorted(),
  )
  expect(
    own.filter((name) => !typed.has(name)),
    'metrics without a # TYPE line',
  ).toEqual([])
  expect(
    own.filter((name) => sources[name]?.from === undefined && !hasSample(name)),
    'metrics without a sample',
  ).toEqual([])
}
