import type { AlertCase } from './alert-case.ts'
import { ofPayments, warning } from './series.ts'

export const uptoCases: readonly AlertCase[] = [
  {
    alert: 'X402UptoRestoreRequired',
    does: 'fires when the contract stays archived',
    series: { [warning('upto_contract_restore_required')]: '0x2 1x20' },
    at: '12m',
    labels: ofPayments,
    description:
      'A settlement contract that shop/payments uses is archived: no payment of the scheme upto is verified or settled until svc upto restore has run.',
  },
  {
    alert: 'X402UptoRestoreRequired',
    does: 'does not fire when the keeper restores it',
    series: { [warning('upto_contract_restore_required')]: '0x2 1x2 0x20' },
    at: '12m',
  },
  {
    alert: 'X402UptoAuthorityMissing',
    does: 'fires when the authority is not created',
    series: { [warning('upto_authority_missing')]: '1x20' },
    at: '12m',
    labels: ofPayments,
    description:
      'A settlement authority of shop/payments is not on the ledger: no payment of the scheme upto that was signed for it is settled until it is created.',
  },
  {
    alert: 'X402UptoAuthorityMissing',
    does: 'does not fire while a ChannelPool is new',
    series: { [warning('upto_authority_missing')]: '1x2 0x20' },
    at: '12m',
  },
  {
    alert: 'X402UptoKeeperFailed',
    does: 'fires when every round fails for a quarter of an hour',
    series: { [warning('upto_ttl_keeper_failed')]: '1x30' },
    at: '20m',
    labels: ofPayments,
    description:
      'The keeper of a settlement contract of shop/payments fails in each round: the network archives the contract when its TTL ends. The warning in /health says why.',
  },
  {
    alert: 'X402UptoKeeperFailed',
    does: 'does not fire when a later round succeeds',
    series: { [warning('upto_ttl_keeper_failed')]: '1x10 0x20' },
    at: '20m',
  },
  {
    alert: 'X402UptoAuthorityFunded',
    does: 'fires when the authority has XLM',
    series: {
      [warning('upto_authority_funded')]: '1x30',
      [warning('upto_authority_holds_tokens')]: '0x30',
    },
    at: '20m',
    labels: ofPayments,
    description:
      'The settlement authority of shop/payments should hold nothing, and it has received XLM or tokens: the warning in /health says which.',
  },
  {
    alert: 'X402UptoAuthorityFunded',
    does: 'fires when the authority has tokens',
    series: {
      [warning('upto_authority_funded')]: '0x30',
      [warning('upto_authority_holds_tokens')]: '1x30',
    },
    at: '20m',
    labels: ofPayments,
    description:
      'The settlement authority of shop/payments should hold nothing, and it has received XLM or tokens: the warning in /health says which.',
  },
  {
    alert: 'X402UptoAuthorityFunded',
    does: 'does not fire for the other warnings of the scheme',
    series: {
      [warning('upto_authority_funded')]: '0x30',
      [warning('upto_ttl_keeper_failed')]: '1x30',
    },
    at: '20m',
  },
]
