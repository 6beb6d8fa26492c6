/** One try of an alert: which series there are, when it is looked at, and what it says then. */
export interface AlertCase {
  readonly alert: string
  /** Completes a sentence that begins with the alert. */
  readonly because: string
  /** Series, and their values a minute apart as promtool writes them. */
  readonly when: Readonly<Record<string, string>>
  readonly at: string
  /** The description; undefined when it keeps quiet. */
  readonly says?: string
  /** Of the alert, beside its severity. */
  readonly labels?: Readonly<Record<string, string>>
}

const shop = 'namespace="shop",network="stellar:testnet"'
const onTestnet = { namespace: 'shop', network: 'stellar:testnet' }
const settle = (status: number): string =>
  `svc_http_request_duration_seconds_count{namespace="shop",route="/settle",status="${status}"}`
const rpc = (outcome: string): string => `svc_rpc_requests_total{${shop},outcome="${outcome}"}`
const waits = (le: string): string => `svc_channel_lease_wait_seconds_bucket{${shop},le="${le}"}`
const pool = 'kind="ChannelPool",namespace="shop",name="testnet"'
const ofPool = { kind: 'ChannelPool', namespace: 'shop', name: 'testnet' }
const condition = (status: string): string =>
  `svc_resource_condition{${pool},type="Ready",status="${status}"}`
const reconciles = 'svc_controller_reconcile_total{controller="channelpool",result="error"}'
const errors = 'svc_controller_reconcile_errors_total{controller="channelpool"}'

const payments: readonly AlertCase[] = [
  {
    alert: 'X402ChannelsExhausted',
    because: 'fires when one settlement in twenty waits over a second',
    when: { [waits('1')]: '0+90x20', [waits('5')]: '0+100x20', [waits('+Inf')]: '0+100x20' },
    at: '12m',
    labels: onTestnet,
    says: 'On stellar:testnet one settlement in twenty waits over a second for a channel: give the ChannelPool more channels.',
  },
  {
    alert: 'X402ChannelsExhausted',
    because: 'keeps quiet while waits are short',
    when: { [waits('1')]: '0+99x20', [waits('5')]: '0+100x20', [waits('+Inf')]: '0+100x20' },
    at: '12m',
  },
  {
    alert: 'X402SponsorBalanceLow',
    because: 'fires when the balance is gone tomorrow',
    // 100 XLM, of which 0.1 goes in a minute: 16.7 hours.
    when: { [`svc_sponsor_balance_stroops{${shop}}`]: '1000000000-1000000x60' },
    at: '40m',
    labels: onTestnet,
    says: 'At the rate of the last six hours the sponsor on stellar:testnet has nothing left within 24 hours: send it XLM.',
  },
  {
    alert: 'X402SponsorBalanceLow',
    because: 'keeps quiet while it lasts for days',
    when: { [`svc_sponsor_balance_stroops{${shop}}`]: '1000000000-100000x60' },
    at: '40m',
  },
  {
    alert: 'X402SettleErrorsFast',
    because: 'fires when two in a hundred fail',
    when: { [settle(200)]: '0+98x90', [settle(500)]: '0+2x90' },
    at: '80m',
    says: '2% of the settle calls of the last hour ended in a 5xx: a month of error budget is gone in two days.',
  },
  {
    alert: 'X402SettleErrorsFast',
    because: 'keeps quiet once it is over, though the hour was bad',
    when: { [settle(200)]: '0+98x90', [settle(500)]: '0+2x70 140+0x20' },
    at: '80m',
  },
  {
    alert: 'X402SettleErrorsSlow',
    because: 'fires when one in a hundred fails for hours',
    when: { [settle(200)]: '0+99x480', [settle(500)]: '0+1x480' },
    at: '430m',
    says: '1% of the settle calls of the last six hours ended in a 5xx: a month of error budget is gone in five days.',
  },
  {
    alert: 'X402SettleErrorsSlow',
    because: 'keeps quiet when one in a thousand fails',
    when: { [settle(200)]: '0+999x480', [settle(500)]: '0+1x480' },
    at: '430m',
  },
  {
    alert: 'X402SettlementsUnresolvable',
    because: 'fires when two wait for a person',
    when: { [`svc_settlements_unresolvable{${shop}}`]: '2x20' },
    at: '10m',
    labels: onTestnet,
    says: 'Nobody can tell what became of 2 settlements on stellar:testnet: look with svc settlements, and end them.',
  },
  {
    alert: 'X402SettlementsUnresolvable',
    because: 'keeps quiet when none does',
    when: { [`svc_settlements_unresolvable{${shop}}`]: '0x20' },
    at: '10m',
  },
]

const surroundings: readonly AlertCase[] = [
  {
    alert: 'X402RpcFailing',
    because: 'fires when most requests get no answer',
    when: { [rpc('ok')]: '0+2x20', [rpc('transport')]: '0+5x20', [rpc('unreadable')]: '0+3x20' },
    at: '15m',
    labels: onTestnet,
    says: 'Over half of the requests to the RPC endpoints of stellar:testnet fail: payments cannot be simulated and sent.',
  },
  {
    alert: 'X402RpcFailing',
    because: 'keeps quiet when endpoints refuse what they are asked',
    when: { [rpc('ok')]: '0+2x20', [rpc('rejected')]: '0+8x20' },
    at: '15m',
  },
  {
    alert: 'X402StoreDown',
    because: 'fires when the settlements cannot be read',
    when: { 'svc_background_errors_total{namespace="shop",task="reconcile"}': '0+3x20' },
    at: '10m',
    labels: { namespace: 'shop' },
    says: 'Facilitator pods in shop cannot read the settlements of their database: nothing is settled until it is back.',
  },
  {
    alert: 'X402StoreDown',
    because: 'keeps quiet about errors of other work',
    when: {
      'svc_background_errors_total{namespace="shop",task="reconcile"}': '7x20',
      'svc_background_errors_total{namespace="shop",task="traces"}': '0+3x20',
    },
    at: '10m',
  },
]

const operator: readonly AlertCase[] = [
  {
    alert: 'X402OperatorNoLeader',
    because: 'fires when both operators follow',
    when: { 'svc_controller_leader{pod="a"}': '0x10', 'svc_controller_leader{pod="b"}': '0x10' },
    at: '5m',
    says: 'Nobody reconciles Facilitators and ChannelPools. Payments go on; changes, scaling and repairs do not.',
  },
  {
    alert: 'X402OperatorNoLeader',
    because: 'fires when there is no operator at all',
    when: {},
    at: '5m',
    says: 'Nobody reconciles Facilitators and ChannelPools. Payments go on; changes, scaling and repairs do not.',
  },
  {
    alert: 'X402OperatorNoLeader',
    because: 'keeps quiet while one leads',
    when: { 'svc_controller_leader{pod="a"}': '0x10', 'svc_controller_leader{pod="b"}': '1x10' },
    at: '5m',
  },
  {
    alert: 'X402OperatorReconcileErrors',
    because: 'fires when one in five fails',
    when: { [reconciles]: '0+10x40', [errors]: '0+2x40' },
    at: '30m',
    labels: { controller: 'channelpool' },
    says: '20% of the reconciles of channelpool fail: the log of the operator says why.',
  },
  {
    alert: 'X402OperatorReconcileErrors',
    because: 'keeps quiet when one in twenty fails',
    when: { [reconciles]: '0+20x40', [errors]: '0+1x40' },
    at: '30m',
  },
  {
    alert: 'X402OperatorQueueStuck',
    because: 'fires when a reconcile does not end',
    when: {
      'svc_controller_workqueue_longest_running_processor_seconds{name="channelpool"}': '0+60x20',
    },
    at: '10m',
    labels: { name: 'channelpool' },
    says: 'The oldest work of channelpool has lasted 10m 0s: something that it waits for does not answer.',
  },
  {
    alert: 'X402OperatorQueueStuck',
    because: 'keeps quiet while work ends in time',
    when: {
      'svc_controller_workqueue_longest_running_processor_seconds{name="channelpool"}': '30x20',
    },
    at: '10m',
  },
  {
    alert: 'X402ObjectNotReady',
    because: 'fires after a quarter of an hour, whatever the reason was meanwhile',
    when: { [condition('False')]: '1x10 _x20', [condition('Unknown')]: '_x10 1x20' },
    at: '20m',
    labels: ofPool,
    says: 'ChannelPool testnet in shop has not been ready for 15 minutes: its condition Ready says why.',
  },
  {
    alert: 'X402ObjectNotReady',
    because: 'keeps quiet about what is ready',
    when: { [condition('True')]: '1x30' },
    at: '20m',
  },
  {
    alert: 'X402ObjectNotReady',
    because: 'leaves what is being deleted to the other alert',
    when: {
      [condition('False')]: '1x30',
      [`svc_resource_deletion_timestamp_seconds{${pool}}`]: '0x30',
    },
    at: '20m',
  },
  {
    alert: 'X402DeletionStuck',
    because: 'fires when a deletion takes over a quarter of an hour',
    when: { [`svc_resource_deletion_timestamp_seconds{${pool}}`]: '0x30' },
    at: '20m',
    labels: ofPool,
    says: 'ChannelPool testnet in shop has been being deleted for 20m 0s: its conditions say what keeps it.',
  },
  {
    alert: 'X402DeletionStuck',
    because: 'keeps quiet while it is young',
    when: { [`svc_resource_deletion_timestamp_seconds{${pool}}`]: '0x30' },
    at: '14m',
  },
]

export const alertCases: readonly AlertCase[] = [...payments, ...surroundings, ...operator]
