import { type Alert, owner, ownerOfNetwork, raised, theFacilitator } from './alert.ts'

const rpcRate = (metric: string): string => `sum by (${ownerOfNetwork}) (rate(${metric}[5m]))`

/** Alerts about what a Facilitator's pods need: Stellar RPC, the database, the signer, the catalog. */
export const dependencyAlerts: readonly Alert[] = [
  {
    name: 'X402RpcFailing',
    scope: 'facilitator',
    severity: 'critical',
    for: '5m',
    expr: (of) => {
      const failed = rpcRate(of('svc_rpc_requests_total', 'outcome=~"transport|unreadable"'))
      // Requests that found a queue full were never sent.
      const sent = rpcRate(of('svc_rpc_requests_total', 'outcome!="queue_full"'))
      return `${failed} / ${sent} > 0.5`
    },
    summary: 'Stellar RPC does not answer.',
    description: `More than half of the requests of ${theFacilitator} to the RPC endpoints of {{ $labels.network }} fail: payments cannot be simulated or sent.`,
  },
  {
    name: 'X402StoreDown',
    scope: 'facilitator',
    severity: 'critical',
    for: '2m',
    expr: (of) =>
      `sum by (${owner}) (rate(${of('svc_background_errors_total', 'task="reconcile"')}[2m])) > 0`,
    summary: 'The database does not answer.',
    description: `Pods of ${theFacilitator} cannot read their database: nothing is settled until it answers again.`,
  },
  {
    name: 'X402SignerFailing',
    scope: 'facilitator',
    severity: 'critical',
    for: '2m',
    // Only pods whose sponsor's key lies elsewhere have samples. One that starts has 0 until the signer has shown its key.
    expr: (of) => `min by (${ownerOfNetwork}) (${of('svc_signer_up')}) == 0`,
    summary: 'What signs for the sponsor does not answer, or has another key.',
    description: `Pods of ${theFacilitator} get no signatures for the sponsor on {{ $labels.network }}: they answer settlements with 503 until the signer shows the key of the sponsor.`,
  },
  {
    name: 'X402CatalogUnreadable',
    scope: 'facilitator',
    severity: 'warning',
    for: '2m',
    expr: (of) => raised(of, 'catalog_unreadable'),
    summary: 'The catalog cannot be read.',
    description: `Pods of ${theFacilitator} cannot read the tables of the catalog: no resource is listed or found. Payments continue.`,
  },
  {
    name: 'X402CatalogOutboxStuck',
    scope: 'facilitator',
    severity: 'warning',
    for: '5m',
    expr: (of) => `max by (${owner}) (${of('svc_catalog_outbox_oldest_seconds')}) > 300`,
    summary: 'Settled payments do not reach the catalog.',
    description: `A resource that was paid for {{ $value | humanizeDuration }} ago through ${theFacilitator} is not recorded in the catalog yet: no catalog pod works, or each attempt fails.`,
  },
  {
    name: 'X402SearchIndexFailed',
    scope: 'facilitator',
    severity: 'warning',
    for: '2m',
    expr: (of) => raised(of, 'search_index_failed'),
    summary: 'The search index cannot be built.',
    description: `No catalog pod of ${theFacilitator} has a search index, since the builds fail: searches end in an error. Payments and lists continue.`,
  },
  {
    name: 'X402SearchIndexDegraded',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => raised(of, 'search_index_degraded'),
    summary: 'Searches are answered with less than they should be.',
    description: `Of ${theFacilitator} the embeddings endpoint fails, the search index is behind the catalog, or no catalog pod searches: the warning in /health says which.`,
  },
]
