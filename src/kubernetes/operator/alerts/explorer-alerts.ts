import { type Alert, owner, ownerOfNetwork, type Selector, theFacilitator } from './alert.ts'

const byNetwork = (of: Selector, metric: string, modifier = ''): string =>
  `max by (${ownerOfNetwork}) (${of(metric)}${modifier})`

/** Only the process that ingests knows the present value; one that did before shows an old one. */
const ofIngesting = (of: Selector, metric: string): string =>
  `max by (${ownerOfNetwork}) (${of(metric)} * on (namespace, pod) group_left () ${of('svc_explorer_ingesting')})`

/** Payments go on in all these cases, so none of them is critical. */
export const explorerAlerts: readonly Alert[] = [
  {
    name: 'X402ExplorerBehind',
    scope: 'facilitator',
    severity: 'warning',
    for: '10m',
    // Ten ledgers are about a minute. The second part holds when RPC does not even say how far the network is.
    expr: (of) =>
      `${ofIngesting(of, 'svc_explorer_lag_ledgers')} > 60 or max by (${ownerOfNetwork}) (delta(${of('svc_explorer_last_ledger')}[10m])) == 0`,
    summary: 'The explorer is behind the network.',
    description: `The explorer of ${theFacilitator} does not keep up with the ledgers of {{ $labels.network }}: the latest payments are missing in its feed and its figures.`,
  },
  {
    name: 'X402ExplorerNotIngesting',
    scope: 'facilitator',
    severity: 'warning',
    for: '10m',
    // Only processes of the explorer have samples.
    expr: (of) => `max by (${owner}) (${of('svc_explorer_ingesting')}) == 0`,
    summary: 'No process reads the ledger for the explorer.',
    description: `Explorer pods of ${theFacilitator} run, but none of them ingests: no new payment appears. Ledgers that the RPC endpoints drop meanwhile are lost to the explorer.`,
  },
  {
    name: 'X402ExplorerGaps',
    scope: 'facilitator',
    severity: 'warning',
    for: '1m',
    expr: (of) =>
      `${byNetwork(of, 'svc_explorer_gap_ledgers')} - ${byNetwork(of, 'svc_explorer_gap_ledgers', ' offset 1h')} > 0`,
    summary: 'The explorer has missed ledgers for good.',
    description: `{{ $value }} more ledgers of {{ $labels.network }} are lost to the explorer of ${theFacilitator}, since no RPC endpoint retained them when their turn came: their payments are missing in its figures.`,
  },
]
