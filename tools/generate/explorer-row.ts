import { quantile, type Row, rate } from './panel.ts'

export const explorerRow: Row = {
  title: 'Explorer',
  panels: [
    {
      title: 'Ledgers behind the network',
      unit: 'short',
      queries: {
        // Only the process that ingests: one that ingested before shows an old value.
        '{{network}}':
          'max by (network) (svc_explorer_lag_ledgers{$net} * on (namespace, pod) group_left () svc_explorer_ingesting{$of})',
      },
    },
    {
      title: 'Ledgers read',
      unit: 'ops',
      queries: {
        '{{network}} {{part}}': rate('svc_explorer_ledgers_total', 'network, part', '$net'),
        '{{network}} at': 'max by (network) (deriv(svc_explorer_last_ledger{$net}[5m]))',
      },
    },
    {
      title: 'Payments observed',
      unit: 'ops',
      queries: {
        '{{network}} {{confidence}}': rate(
          'svc_explorer_payments_total',
          'network, confidence',
          '$net',
        ),
      },
    },
    {
      title: 'Contract calls that are no payment, by reason',
      unit: 'ops',
      queries: {
        '{{reason}}': rate('svc_explorer_skipped_total', 'reason', '$net'),
      },
    },
    {
      title: 'Ledgers missing',
      unit: 'short',
      queries: {
        '{{network}} lost': 'max by (network) (svc_explorer_gap_ledgers{$net})',
        '{{network}} still to read': 'max by (network) (svc_explorer_backfill_ledgers{$net})',
      },
    },
    {
      title: 'Failed rounds of ingest',
      unit: 'ops',
      queries: {
        '{{network}} {{part}}': rate('svc_explorer_ingest_failures_total', 'network, part', '$net'),
      },
    },
    {
      title: 'Processes that ingest',
      unit: 'short',
      kind: 'stat',
      queries: { ingest: 'sum(svc_explorer_ingesting{$of})' },
    },
    {
      title: 'Reads in the database, p95',
      unit: 's',
      queries: {
        '{{query}}': quantile(0.95, 'svc_explorer_query_seconds', 'query, ', '$of'),
      },
    },
  ],
}
