import type { AlertCase } from './alert-case.ts'
import { install, ofInstall, otherInstall } from './series.ts'

const reconciles = `svc_controller_reconcile_total{${install},controller="channelpool",result="error"}`
const timeouts = `svc_controller_reconcile_total{${install},controller="channelpool",result="timeout"}`
const errors = `svc_controller_reconcile_errors_total{${install},controller="channelpool"}`
const leader = (pod: string, of = install): string => `svc_controller_leader{${of},pod="${pod}"}`
const activity = (kind: string): string =>
  `svc_controller_watch_last_activity_timestamp_seconds{${install},pod="a",kind="${kind}"}`
const noLeader =
  'No operator of x402-system/stellar-x402 reconciles Facilitators and ChannelPools. Payments continue; changes, scaling and repairs do not.'

export const operatorCases: readonly AlertCase[] = [
  {
    alert: 'X402OperatorNoLeader',
    does: 'fires when both operators are followers',
    series: { [leader('a')]: '0x10', [leader('b')]: '0x10' },
    at: '5m',
    labels: ofInstall,
    description: noLeader,
  },
  {
    alert: 'X402OperatorNoLeader',
    does: 'fires when there is no operator at all, and says of which install',
    series: {},
    at: '5m',
    labels: ofInstall,
    description: noLeader,
  },
  {
    alert: 'X402OperatorNoLeader',
    does: 'fires although the operator of another install leads',
    series: { [leader('a')]: '0x10', [leader('a', otherInstall)]: '1x10' },
    at: '5m',
    labels: ofInstall,
    description: noLeader,
  },
  {
    alert: 'X402OperatorNoLeader',
    does: 'does not fire while one leads',
    series: { [leader('a')]: '0x10', [leader('b')]: '1x10' },
    at: '5m',
  },
  {
    alert: 'X402OperatorReconcileErrors',
    does: 'fires when 20 % of the reconciles fail',
    series: { [reconciles]: '0+10x40', [errors]: '0+2x40' },
    at: '30m',
    labels: { ...ofInstall, controller: 'channelpool' },
    description:
      '20% of the reconciles of channelpool by x402-system/stellar-x402 fail: the log of the operator says why.',
  },
  {
    alert: 'X402OperatorReconcileErrors',
    does: 'does not fire when 5 % of the reconciles fail',
    series: { [reconciles]: '0+20x40', [errors]: '0+1x40' },
    at: '30m',
  },
  {
    alert: 'X402OperatorQueueStuck',
    does: 'fires when reconciles reach their time limit again and again',
    series: { [timeouts]: '0+1x40' },
    at: '30m',
    labels: { ...ofInstall, controller: 'channelpool' },
    description:
      '10 reconciles of channelpool by x402-system/stellar-x402 reached their time limit in 10 minutes: the API server, the database or Stellar RPC does not answer them.',
  },
  {
    alert: 'X402OperatorQueueStuck',
    does: 'does not fire for a single reconcile that reached its time limit',
    series: { [timeouts]: '0x10 1x30' },
    at: '15m',
  },
  {
    alert: 'X402OperatorStaleCache',
    does: 'fires when nothing was heard of one kind for ten minutes, bookmarks included',
    series: { [activity('ChannelPool')]: '0x40', [activity('Facilitator')]: '0+60x40' },
    at: '20m',
    labels: { ...ofInstall, pod: 'a', kind: 'ChannelPool' },
    description:
      'Operator pod a of x402-system/stellar-x402 last heard of ChannelPool objects 20m 0s ago: it acts on what it knew then.',
  },
  {
    alert: 'X402OperatorStaleCache',
    does: 'does not fire while bookmarks come',
    series: { [activity('ChannelPool')]: '0+60x40' },
    at: '20m',
  },
]
