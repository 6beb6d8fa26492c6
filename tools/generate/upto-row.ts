import type { Row } from './panel.ts'

export const uptoRow: Row = {
  title: 'Scheme upto',
  panels: [
    {
      title: 'Ledgers until the settlement contract is archived',
      unit: 'short',
      queries: {
        '{{network}} {{entry}}': 'max by (network, entry) (svc_upto_contract_ttl_ledgers{$net})',
      },
    },
    {
      title: 'Actions of the keeper',
      unit: 'short',
      queries: {
        '{{network}} {{action}} {{outcome}}':
          'sum by (network, action, outcome) (increase(svc_upto_keeper_actions_total{$net}[$__range]))',
      },
    },
    {
      title: 'Warnings',
      unit: 'short',
      queries: { '{{code}}': 'max by (code) (svc_health_warnings{$of,code=~"upto_.*"})' },
    },
  ],
}
