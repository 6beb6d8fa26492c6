import type { AlertCase } from './alert-case.ts'
import { ofPayments, onNetwork, onTestnet, payments, warning } from './series.ts'

const rpc = (outcome: string): string => `svc_rpc_requests_total{${onNetwork},outcome="${outcome}"}`
const oldest = `svc_catalog_outbox_oldest_seconds{${payments}}`
const signer = (pod: string): string => `svc_signer_up{${onNetwork},pod="${pod}"}`

export const dependencyCases: readonly AlertCase[] = [
  {
    alert: 'X402RpcFailing',
    does: 'fires when most requests fail',
    series: { [rpc('ok')]: '0+2x20', [rpc('transport')]: '0+5x20', [rpc('unreadable')]: '0+3x20' },
    at: '15m',
    labels: onTestnet,
    description:
      'More than half of the requests of shop/payments to the RPC endpoints of stellar:testnet fail: payments cannot be simulated or sent.',
  },
  {
    alert: 'X402RpcFailing',
    does: 'does not fire when endpoints answer with errors',
    series: { [rpc('ok')]: '0+2x20', [rpc('rejected')]: '0+8x20' },
    at: '15m',
  },
  {
    alert: 'X402StoreDown',
    does: 'fires when the database cannot be read',
    series: { [`svc_background_errors_total{${payments},task="reconcile"}`]: '0+3x20' },
    at: '10m',
    labels: ofPayments,
    description:
      'Pods of shop/payments cannot read their database: nothing is settled until it answers again.',
  },
  {
    alert: 'X402StoreDown',
    does: 'does not fire for errors of other tasks',
    series: {
      [`svc_background_errors_total{${payments},task="reconcile"}`]: '7x20',
      [`svc_background_errors_total{${payments},task="traces"}`]: '0+3x20',
    },
    at: '10m',
  },
  {
    alert: 'X402SignerFailing',
    does: 'fires when one pod of two gets no signatures for two minutes',
    series: { [signer('a')]: '1x20', [signer('b')]: '1x5 0x15' },
    at: '10m',
    labels: onTestnet,
    description:
      'Pods of shop/payments get no signatures for the sponsor on stellar:testnet: they answer settlements with 503 until the signer shows the key of the sponsor.',
  },
  {
    alert: 'X402SignerFailing',
    does: 'does not fire for a pod that has just started',
    series: { [signer('a')]: '1x20', [signer('b')]: '_x5 0 1x15' },
    at: '10m',
  },
  {
    alert: 'X402CatalogUnreadable',
    does: 'fires when the tables of the catalog cannot be read for two minutes',
    series: { [warning('catalog_unreadable')]: '0x2 1x10' },
    at: '8m',
    labels: ofPayments,
    description:
      'Pods of shop/payments cannot read the tables of the catalog: no resource is listed or found. Payments continue.',
  },
  {
    alert: 'X402CatalogUnreadable',
    does: 'does not fire when one poll fails',
    series: { [warning('catalog_unreadable')]: '0x2 1 0x10' },
    at: '8m',
  },
  {
    alert: 'X402CatalogOutboxStuck',
    does: 'fires when a declaration has waited for more than five minutes',
    series: { [oldest]: '60+60x20' },
    at: '14m',
    labels: ofPayments,
    description:
      'A resource that was paid for 15m 0s ago through shop/payments is not recorded in the catalog yet: no catalog pod works, or each attempt fails.',
  },
  {
    alert: 'X402CatalogOutboxStuck',
    does: 'does not fire while declarations leave the outbox',
    series: { [oldest]: '1 40 2 0 3x16' },
    at: '14m',
  },
  {
    alert: 'X402SearchIndexFailed',
    does: 'fires when no index can be built for two minutes',
    series: { [warning('search_index_failed')]: '1x10' },
    at: '8m',
    labels: ofPayments,
    description:
      'No catalog pod of shop/payments has a search index, since the builds fail: searches end in an error. Payments and lists continue.',
  },
  {
    alert: 'X402SearchIndexFailed',
    does: 'does not fire while an index serves',
    series: { [warning('search_index_failed')]: '0x10' },
    at: '8m',
  },
  {
    alert: 'X402SearchIndexDegraded',
    does: 'fires when searches lack something for a quarter of an hour',
    series: { [warning('search_index_degraded')]: '1x30' },
    at: '20m',
    labels: ofPayments,
    description:
      'Of shop/payments the embeddings endpoint fails, the search index is behind the catalog, or no catalog pod searches: the warning in /health says which.',
  },
  {
    alert: 'X402SearchIndexDegraded',
    does: 'does not fire when that passes sooner',
    series: { [warning('search_index_degraded')]: '1x10 0x20' },
    at: '20m',
  },
]
