import { type Alert, raised, theFacilitator } from './alert.ts'

/** Alerts about the scheme `upto`. Payments of the scheme `exact` continue in all these cases. */
export const uptoAlerts: readonly Alert[] = [
  {
    name: 'X402UptoRestoreRequired',
    scope: 'facilitator',
    severity: 'critical',
    // The keeper restores the contract in its next round, within a minute, if it may.
    for: '5m',
    expr: (of) => raised(of, 'upto_contract_restore_required'),
    summary: 'The settlement contract of the scheme upto is archived.',
    description: `A settlement contract that ${theFacilitator} uses is archived: no payment of the scheme upto is verified or settled until svc upto restore has run.`,
  },
  {
    name: 'X402UptoAuthorityMissing',
    scope: 'facilitator',
    severity: 'critical',
    for: '5m',
    expr: (of) => raised(of, 'upto_authority_missing'),
    summary: 'The settlement authority of the scheme upto has no account.',
    description: `A settlement authority of ${theFacilitator} is not on the ledger: no payment of the scheme upto that was signed for it is settled until it is created.`,
  },
  {
    name: 'X402UptoKeeperFailed',
    scope: 'facilitator',
    severity: 'warning',
    // It tries again every minute; the contract has days left.
    for: '15m',
    expr: (of) => raised(of, 'upto_ttl_keeper_failed'),
    summary: 'The keeper cannot extend or restore the settlement contract of the scheme upto.',
    description: `The keeper of a settlement contract of ${theFacilitator} fails in each round: the network archives the contract when its TTL ends. The warning in /health says why.`,
  },
  {
    name: 'X402UptoAuthorityFunded',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => raised(of, 'upto_authority_funded', 'upto_authority_holds_tokens'),
    summary: 'The settlement authority of the scheme upto holds money.',
    description: `The settlement authority of ${theFacilitator} should hold nothing, and it has received XLM or tokens: the warning in /health says which.`,
  },
]
