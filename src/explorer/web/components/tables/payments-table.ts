import { h, type VNode } from 'preact'
import type { PaymentRecord } from '../../../records.ts'
import { exactAmount } from '../../format/amount.ts'
import { linkTo } from '../../links.ts'
import { address } from '../values/address.ts'
import { amount, shownAmount } from '../values/amount.ts'
import { claimedName } from '../values/claimed-name.ts'
import { selfPaid, submitter } from '../values/confidence.ts'
import { networkName } from '../values/network.ts'
import { time, timeSwitch } from '../values/time.ts'
import { type Column, dataRow, dataTable } from './data-table.ts'

export interface PaymentsTableOptions {
  readonly caption: string
  readonly payments: readonly PaymentRecord[]
  readonly now: number
  /** Whether rows say which network they are of: when the page is of several. */
  readonly showsNetwork?: boolean
  readonly empty: string
  /** New rows appear by themselves, at most `most` rows in all. */
  readonly live?: { readonly url: string; readonly most: number }
}

/** Payments, newest first. The feed, a seller's page and the live updates render the same rows. */
export const paymentsTable = (options: PaymentsTableOptions): VNode =>
  dataTable({
    caption: options.caption,
    class: 'payments',
    columns: paymentColumns(options.now, options.showsNetwork),
    rows: options.payments,
    keyOf: paymentKey,
    empty: options.empty,
    ...(options.live && {
      body: { 'data-live': options.live.url, 'data-live-most': options.live.most },
    }),
  })

/** One row, for the live updates. */
export const paymentRow = (payment: PaymentRecord, now: number, showsNetwork: boolean): VNode =>
  dataRow(paymentColumns(now, showsNetwork), payment, paymentKey(payment))

const paymentKey = ({ network, txHash }: PaymentRecord): string => `${network}/${txHash}`

const paymentColumns = (now: number, showsNetwork = false): readonly Column<PaymentRecord>[] => [
  {
    label: 'Payment',
    name: 'hash',
    isRowHeader: true,
    cell: ({ txHash }) =>
      address(txHash, { label: 'Payment', href: linkTo.payment(txHash), mayCopy: false }),
  },
  {
    label: 'Time',
    name: 'time',
    head: timeSwitch(),
    cell: ({ closedAt, txHash }) =>
      h('a', { class: 'quiet', href: linkTo.payment(txHash), tabIndex: -1 }, time(closedAt, now)),
  },
  {
    label: 'Buyer',
    name: 'buyer',
    cell: ({ buyer }) => address(buyer, { label: 'Buyer', href: linkTo.address(buyer) }),
  },
  { label: 'Seller', name: 'seller', cell: seller },
  {
    label: 'Amount',
    name: 'paid',
    isNumber: true,
    cell: (payment) => [
      amount(payment.amountDecimal, payment, payment.network),
      ceilingTag(payment),
    ],
  },
  {
    label: 'Submitted by',
    name: 'submitter',
    cell: (payment) => [
      submitter(payment),
      selfPaid(payment),
      showsNetwork && h('span', { class: 'tag' }, networkName(payment.network)),
    ],
  },
]

function seller({ seller: payTo, serviceName, network }: PaymentRecord): VNode {
  const href = linkTo.seller(payTo, { network })
  const name = claimedName(serviceName, href)
  if (!name) return address(payTo, { label: 'Seller', href })
  return h('span', { class: 'named' }, address(payTo, { label: 'Seller', href }), name)
}

/** The ceiling of an `upto` payment. Payments of `exact`, the usual scheme, have no tag. */
const ceilingTag = ({ ceilingDecimal }: PaymentRecord): VNode | false =>
  ceilingDecimal !== undefined &&
  h(
    'span',
    {
      class: 'tag most',
      title: `Scheme upto: the buyer signed at most ${exactAmount(ceilingDecimal)}, and the seller took what was used.`,
    },
    `of at most ${shownAmount(ceilingDecimal)}`,
  )
