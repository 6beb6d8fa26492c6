import { type Alert, owner, ownerOfNetwork, type Selector, theFacilitator } from './alert.ts'

const settleCount = 'svc_http_request_duration_seconds_count'
const settleRoute = 'route="/settle"'

/** Share of the settle calls that ended in a 5xx. */
const settleErrors = (of: Selector, over: string): string => {
  const rate = (matchers: string) =>
    `sum by (${owner}) (rate(${of(settleCount, matchers)}[${over}]))`
  return `(${rate(`${settleRoute},status=~"5.."`)} / ${rate(settleRoute)})`
}

/** Objective: 99.9 % of the settle calls end without a 5xx. */
const ERROR_BUDGET = 0.001

/** Both windows burn the budget: the long one shows that it matters, the short one that it still goes on. */
const burnsBudget = (of: Selector, times: number, long: string, short: string): string => {
  const limit = Number((times * ERROR_BUDGET).toFixed(4))
  return `${settleErrors(of, long)} > ${limit} and ${settleErrors(of, short)} > ${limit}`
}

/**
 * Share of a reason in the settlements of the last 15 minutes. What payers, recipients and callers cause is in neither
 * part: they can neither raise the alert nor hide a failure among their own.
 */
function failureShare(of: Selector): string {
  const failures = of('svc_settlement_failures_total')
  const others = of('svc_settlements_total', 'outcome=~"success|pending"')
  const sum = (by: string, metric: string) => `sum by (${by}) (rate(${metric}[15m]))`
  const all = `(${sum(ownerOfNetwork, failures)} + ${sum(ownerOfNetwork, others)})`
  const share = `${sum(`${ownerOfNetwork}, reason`, failures)} / on (${ownerOfNetwork}) group_left () ${all}`
  // With little traffic a single failure is a large share.
  const several = `sum by (${ownerOfNetwork}, reason) (increase(${failures}[15m])) > 3`
  return `${share} > 0.1 and ${several}`
}

const spendable = (of: Selector): string =>
  `min by (${ownerOfNetwork}) (${of('svc_sponsor_spendable_stroops')})`
const minimum = (of: Selector): string =>
  `max by (${ownerOfNetwork}) (${of('svc_sponsor_minimum_stroops')})`

/** Alerts about the payments that a Facilitator's pods take. */
export const paymentAlerts: readonly Alert[] = [
  {
    name: 'X402ChannelsExhausted',
    scope: 'facilitator',
    severity: 'critical',
    for: '5m',
    expr: (of) =>
      `histogram_quantile(0.95, sum by (${ownerOfNetwork}, le) (rate(${of('svc_channel_lease_wait_seconds_bucket')}[5m]))) > 1`,
    summary: 'Settlements wait for channels.',
    description: `On {{ $labels.network }} 5 % of the settlements of ${theFacilitator} wait more than a second for a channel: give the ChannelPool {{ $labels.channelpool }} more channels.`,
  },
  {
    name: 'X402NoChannels',
    scope: 'facilitator',
    severity: 'critical',
    for: '2m',
    // The series has no samples while the first channels are created, and without pods.
    expr: (of) => `max by (${ownerOfNetwork}) (${of('svc_channels_usable')}) == 0`,
    summary: 'No channel is left.',
    description: `On {{ $labels.network }} the sponsor of ${theFacilitator} has no channel that can settle: every payment is refused until channels are created.`,
  },
  {
    name: 'X402SponsorDry',
    scope: 'facilitator',
    severity: 'critical',
    for: '5m',
    expr: (of) => `${spendable(of)} < ${minimum(of)}`,
    summary: 'The sponsor cannot pay for settlements.',
    description: `On {{ $labels.network }} the sponsor of ${theFacilitator} can spend {{ $value | humanize }} stroops, less than its reserve or one settlement: settlements are refused, with HTTP 200, until it gets XLM.`,
  },
  {
    name: 'X402SponsorBalanceLow',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => {
      const tomorrow = `predict_linear(${of('svc_sponsor_spendable_stroops')}[6h], 86400)`
      // A sponsor that is below it already has its own alert: it cannot pay.
      return `min by (${ownerOfNetwork}) (${tomorrow}) < ${minimum(of)} unless ${spendable(of)} < ${minimum(of)}`
    },
    summary: 'The sponsor will have too little XLM to spend within a day.',
    description: `At the rate of the last six hours the sponsor of ${theFacilitator} on {{ $labels.network }} cannot pay for settlements in 24 hours: send it XLM.`,
  },
  {
    name: 'X402SettlementsFailing',
    scope: 'facilitator',
    severity: 'critical',
    for: '10m',
    expr: failureShare,
    summary: 'Settlements fail for a reason that no payer causes.',
    description: `On {{ $labels.network }} {{ $value | humanizePercentage }} of the settlements of ${theFacilitator} fail with {{ $labels.reason }}, which neither payer nor recipient can cause.`,
  },
  {
    name: 'X402SettleErrorsFast',
    scope: 'facilitator',
    severity: 'critical',
    for: '2m',
    expr: (of) => burnsBudget(of, 14.4, '1h', '5m'),
    summary: 'Many settlements end in an error.',
    description: `{{ $value | humanizePercentage }} of the settle calls of ${theFacilitator} in the last hour ended in a 5xx: the error budget of a month lasts two days at this rate.`,
  },
  {
    name: 'X402SettleErrorsSlow',
    scope: 'facilitator',
    severity: 'warning',
    for: '15m',
    expr: (of) => burnsBudget(of, 6, '6h', '30m'),
    summary: 'Settlements still end in errors.',
    description: `{{ $value | humanizePercentage }} of the settle calls of ${theFacilitator} in the last six hours ended in a 5xx: the error budget of a month lasts five days at this rate.`,
  },
  {
    name: 'X402SettlementsUnresolvable',
    scope: 'facilitator',
    severity: 'warning',
    for: '5m',
    expr: (of) => `max by (${ownerOfNetwork}) (${of('svc_settlements_unresolvable')}) > 0`,
    summary: 'Settlements have an unknown outcome.',
    description: `The outcome of {{ $value }} settlements of ${theFacilitator} on {{ $labels.network }} is unknown. The facilitator looks them up again every 5 minutes; what stays unknown, resolve with svc settlements.`,
  },
]
