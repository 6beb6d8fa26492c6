import type { AlertCase } from './alert-case.ts'
import { ofPayments, onNetwork, onTestnet, payments } from './series.ts'

const settle = (status: number): string =>
  `svc_http_request_duration_seconds_count{${payments},route="/settle",status="${status}"}`
const usable = (pod: string): string => `svc_channels_usable{${onNetwork},pod="${pod}"}`
const waits = (le: string): string =>
  `svc_channel_lease_wait_seconds_bucket{${onNetwork},le="${le}"}`
const spendable = `svc_sponsor_spendable_stroops{${onNetwork}}`
const minimum = `svc_sponsor_minimum_stroops{${onNetwork}}`

export const paymentCases: readonly AlertCase[] = [
  {
    alert: 'X402ChannelsExhausted',
    does: 'fires when 5 % of the settlements wait more than a second',
    series: { [waits('1')]: '0+90x20', [waits('5')]: '0+100x20', [waits('+Inf')]: '0+100x20' },
    at: '12m',
    labels: onTestnet,
    description:
      'On stellar:testnet 5 % of the settlements of shop/payments wait more than a second for a channel: give the ChannelPool testnet more channels.',
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
      'On stellar:testnet the sponsor of shop/payments has no channel that can settle: every payment is refused until channels are created.',
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
    series: {
      [usable('a')]: '_x10 8x10',
      [`svc_channels_total{${onNetwork},pod="a"}`]: '0x10 8x10',
    },
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
    does: 'fires when there will be too little to spend within a day',
    // 100 XLM, of which 0.1 goes in a minute: 16.7 hours.
    series: { [spendable]: '1000000000-1000000x60', [minimum]: '50000000x60' },
    at: '40m',
    labels: onTestnet,
    description:
      'At the rate of the last six hours the sponsor of shop/payments on stellar:testnet cannot pay for settlements in 24 hours: send it XLM.',
  },
  {
    alert: 'X402SponsorBalanceLow',
    does: 'does not fire while it lasts for days',
    series: { [spendable]: '1000000000-100000x60', [minimum]: '50000000x60' },
    at: '40m',
  },
  {
    alert: 'X402SettleErrorsFast',
    does: 'fires when 2 % of the calls fail',
    series: { [settle(200)]: '0+98x90', [settle(500)]: '0+2x90' },
    at: '80m',
    labels: ofPayments,
    description:
      '2% of the settle calls of shop/payments in the last hour ended in a 5xx: the error budget of a month lasts two days at this rate.',
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
    labels: ofPayments,
    description:
      '1% of the settle calls of shop/payments in the last six hours ended in a 5xx: the error budget of a month lasts five days at this rate.',
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
    series: { [`svc_settlements_unresolvable{${onNetwork}}`]: '2x20' },
    at: '10m',
    labels: onTestnet,
    description:
      'The outcome of 2 settlements of shop/payments on stellar:testnet is unknown. The facilitator looks them up again every 5 minutes; what stays unknown, resolve with svc settlements.',
  },
  {
    alert: 'X402SettlementsUnresolvable',
    does: 'does not fire when none is',
    series: { [`svc_settlements_unresolvable{${onNetwork}}`]: '0x20' },
    at: '10m',
  },
]
