import type { AlertCase } from './alert-case.ts'
import { explorerCases } from './explorer-alert-cases.ts'
import { uptoCases } from './upto-alert-cases.ts'

const shop = 'namespace="shop",network="stellar:testnet"'
const onTestnet = { namespace: 'shop', network: 'stellar:testnet' }
const settle = (status: number): string =>
  `svc_http_request_duration_seconds_count{namespace="shop",route="/settle",status="${status}"}`
const rpc = (outcome: string): string => `svc_rpc_requests_total{${shop},outcome="${outcome}"}`
const usable = (pod: string): string => `svc_channels_usable{${shop},pod="${pod}"}`
const waits = (le: string): string => `svc_channel_lease_wait_seconds_bucket{${shop},le="${le}"}`
const pool = 'kind="ChannelPool",namespace="shop",name="testnet"'
const ofPool = { kind: 'ChannelPool', namespace: 'shop', name: 'testnet' }
const condition = (status: string): string =>
  `svc_resource_condition{${pool},type="Ready",status="${status}"}`
const reconciles = 'svc_controller_reconcile_total{controller="channelpool",result="error"}'
const timeouts = 'svc_controller_reconcile_total{controller="channelpool",result="timeout"}'
const errors = 'svc_controller_reconcile_errors_total{controller="channelpool"}'

const payments: readonly AlertCase[] = [
  {
    alert: 'X402ChannelsExhausted',
    does: 'fires when 5 % of the settlements wait more than a second',
    series: { [waits('1')]: '0+90x20', [waits('5')]: '0+100x20', [waits('+Inf')]: '0+100x20' },
    at: '12m',
    labels: onTestnet,
    description:
      'On stellar:testnet 5 % of the settlements wait more than a second for a channel: give the ChannelPool more channels.',
  },
  {
    alert: 'X402ChannelsExhausted',
    does: 'does not fire while waits are short',
    series: { [waits('1')]: '0+99x20', [waits('5')]: '0+100x20', [waits('+Inf')]: '0+100x20' },
    at: '12m',
  },
  {
    alert: 'X402NoChannels',
    does: 'fires when no replica knows a channel any more',
    series: { [usable('a')]: '8x5 0x15', [usable('b')]: '8x6 0x14' },
    at: '12m',
    labels: onTestnet,
    description:
      'On stellar:testnet the sponsor has no channel that can settle: every payment is refused until channels are created.',
  },
  {
    alert: 'X402NoChannels',
    does: 'does not fire while one channel is left, nor when all are created again at once',
    series: { [usable('a')]: '8x5 0 1x14', [usable('b')]: '8x5 0 1x14' },
    at: '6m',
  },
  {
    alert: 'X402NoChannels',
    does: 'does not fire while the first channels are created: a replica has no sample before',
    series: { [usable('a')]: '_x10 8x10', [`svc_channels_total{${shop},pod="a"}`]: '0x10 8x10' },
    at: '8m',
  },
  {
    alert: 'X402NoChannels',
    does: 'does not fire when the Facilitator is scaled to 0',
    series: { [usable('a')]: '8x5 stale', [usable('b')]: '8x5 stale' },
    at: '12m',
  },
  {
    alert: 'X402SponsorBalanceLow',
    does: 'fires when there is nothing left to spend within a day',
    // 100 XLM, of which 0.1 goes in a minute: 16.7 hours.
    series: { [`svc_sponsor_spendable_stroops{${shop}}`]: '1000000000-1000000x60' },
    at: '40m',
    labels: onTestnet,
    description:
      'At the rate of the last six hours the sponsor on stellar:testnet has nothing left to spend within 24 hours: send it XLM.',
  },
  {
    alert: 'X402SponsorBalanceLow',
    does: 'does not fire while it lasts for days',
    series: { [`svc_sponsor_spendable_stroops{${shop}}`]: '1000000000-100000x60' },
    at: '40m',
  },
  {
    alert: 'X402SettleErrorsFast',
    does: 'fires when 2 % of the calls fail',
    series: { [settle(200)]: '0+98x90', [settle(500)]: '0+2x90' },
    at: '80m',
    description:
      '2% of the settle calls of the last hour ended in a 5xx: the error budget of a month lasts two days at this rate.',
  },
  {
    alert: 'X402SettleErrorsFast',
    does: 'does not fire once the errors have stopped, although the hour was bad',
    series: { [settle(200)]: '0+98x90', [settle(500)]: '0+2x70 140+0x20' },
    at: '80m',
  },
  {
    alert: 'X402SettleErrorsSlow',
    does: 'fires when 1 % of the calls fail for hours',
    series: { [settle(200)]: '0+99x480', [settle(500)]: '0+1x480' },
    at: '430m',
    description:
      '1% of the settle calls of the last six hours ended in a 5xx: the error budget of a month lasts five days at this rate.',
  },
  {
    alert: 'X402SettleErrorsSlow',
    does: 'does not fire when 0.1 % of the calls fail',
    series: { [settle(200)]: '0+999x480', [settle(500)]: '0+1x480' },
    at: '430m',
  },
  {
    alert: 'X402SettlementsUnresolvable',
    does: 'fires when two settlements are unresolvable',
    series: { [`svc_settlements_unresolvable{${shop}}`]: '2x20' },
    at: '10m',
    labels: onTestnet,
    description:
      'The outcome of 2 settlements on stellar:testnet is unknown: examine and resolve them with svc settlements.',
  },
  {
    alert: 'X402SettlementsUnresolvable',
    does: 'does not fire when none is',
    series: { [`svc_settlements_unresolvable{${shop}}`]: '0x20' },
    at: '10m',
  },
]

const surroundings: readonly AlertCase[] = [
  {
    alert: 'X402RpcFailing',
    does: 'fires when most requests fail',
    series: { [rpc('ok')]: '0+2x20', [rpc('transport')]: '0+5x20', [rpc('unreadable')]: '0+3x20' },
    at: '15m',
    labels: onTestnet,
    description:
      'More than half of the requests to the RPC endpoints of stellar:testnet fail: payments cannot be simulated or sent.',
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
    series: { 'svc_background_errors_total{namespace="shop",task="reconcile"}': '0+3x20' },
    at: '10m',
    labels: { namespace: 'shop' },
    description:
      'Facilitator pods in shop cannot read their database: nothing is settled until it answers again.',
  },
  {
    alert: 'X402StoreDown',
    does: 'does not fire for errors of other tasks',
    series: {
      'svc_background_errors_total{namespace="shop",task="reconcile"}': '7x20',
      'svc_background_errors_total{namespace="shop",task="traces"}': '0+3x20',
    },
    at: '10m',
  },
]

const operator: readonly AlertCase[] = [
  {
    alert: 'X402OperatorNoLeader',
    does: 'fires when both operators are followers',
    series: { 'svc_controller_leader{pod="a"}': '0x10', 'svc_controller_leader{pod="b"}': '0x10' },
    at: '5m',
    description:
      'No operator reconciles Facilitators and ChannelPools. Payments continue; changes, scaling and repairs do not.',
  },
  {
    alert: 'X402OperatorNoLeader',
    does: 'fires when there is no operator at all',
    series: {},
    at: '5m',
    description:
      'No operator reconciles Facilitators and ChannelPools. Payments continue; changes, scaling and repairs do not.',
  },
  {
    alert: 'X402OperatorNoLeader',
    does: 'does not fire while one leads',
    series: { 'svc_controller_leader{pod="a"}': '0x10', 'svc_controller_leader{pod="b"}': '1x10' },
    at: '5m',
  },
  {
    alert: 'X402OperatorReconcileErrors',
    does: 'fires when 20 % of the reconciles fail',
    series: { [reconciles]: '0+10x40', [errors]: '0+2x40' },
    at: '30m',
    labels: { controller: 'channelpool' },
    description: '20% of the reconciles of channelpool fail: the log of the operator says why.',
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
    labels: { controller: 'channelpool' },
    description:
      '10 reconciles of channelpool reached their time limit in 10 minutes: the API server, the database or Stellar RPC does not answer them.',
  },
  {
    alert: 'X402OperatorQueueStuck',
    does: 'does not fire for a single reconcile that reached its time limit',
    series: { [timeouts]: '0x10 1x30' },
    at: '15m',
  },
  {
    alert: 'X402ObjectNotReady',
    does: 'fires after 15 minutes, even if the reason changed',
    series: { [condition('False')]: '1x10 _x20', [condition('Unknown')]: '_x10 1x20' },
    at: '20m',
    labels: ofPool,
    description:
      'ChannelPool testnet in shop has not been ready for 15 minutes: its condition Ready says why.',
  },
  {
    alert: 'X402ObjectNotReady',
    does: 'does not fire for a ready object',
    series: { [condition('True')]: '1x30' },
    at: '20m',
  },
  {
    alert: 'X402ObjectNotReady',
    does: 'does not fire for an object that is being deleted',
    series: {
      [condition('False')]: '1x30',
      [`svc_resource_deletion_timestamp_seconds{${pool}}`]: '0x30',
    },
    at: '20m',
  },
  {
    alert: 'X402DeletionStuck',
    does: 'fires when a deletion takes more than 15 minutes',
    series: { [`svc_resource_deletion_timestamp_seconds{${pool}}`]: '0x30' },
    at: '20m',
    labels: ofPool,
    description:
      'The deletion of ChannelPool testnet in shop started 20m 0s ago: its conditions say what it waits for.',
  },
  {
    alert: 'X402DeletionStuck',
    does: 'does not fire before that',
    series: { [`svc_resource_deletion_timestamp_seconds{${pool}}`]: '0x30' },
    at: '14m',
  },
]

const warning = (code: string): string => `svc_health_warnings{namespace="shop",code="${code}"}`
const oldest = 'svc_catalog_outbox_oldest_seconds{namespace="shop"}'
const inShop = { namespace: 'shop' }

const catalog: readonly AlertCase[] = [
  {
    alert: 'X402CatalogUnreadable',
    does: 'fires when the tables of the catalog cannot be read for two minutes',
    series: { [warning('catalog_unreadable')]: '0x2 1x10' },
    at: '8m',
    labels: inShop,
    description:
      'Pods in shop cannot read the tables of the catalog: no resource is listed or found. Payments continue.',
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
    labels: inShop,
    description:
      'A resource that was paid for 15m 0s ago in shop is not recorded in the catalog yet: no catalog pod works, or each attempt fails.',
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
    labels: inShop,
    description:
      'No catalog pod in shop has a search index, since the builds fail: searches end in an error. Payments and lists continue.',
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
    labels: inShop,
    description:
      'In shop the embeddings endpoint fails, the search index is behind the catalog, or no catalog pod searches: the warning in /health says which.',
  },
  {
    alert: 'X402SearchIndexDegraded',
    does: 'does not fire when that passes sooner',
    series: { [warning('search_index_degraded')]: '1x10 0x20' },
    at: '20m',
  },
]

export const alertCases: readonly AlertCase[] = [
  ...payments,
  ...surroundings,
  ...operator,
  ...catalog,
  ...uptoCases,
  ...explorerCases,
]
