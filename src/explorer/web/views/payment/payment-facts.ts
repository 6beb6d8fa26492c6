import { h, type VNode } from 'preact'
import { isMetered } from '../../../../payments/protocol/schemes.ts'
import { decimalAmount } from '../../../../platform/core/amounts/decimal.ts'
import type { PaymentRecord } from '../../../records.ts'
import { type Fact, facts } from '../../components/facts.ts'
import { address, copyButton } from '../../components/values/address.ts'
import { assetName } from '../../components/values/amount.ts'
import { claimedName } from '../../components/values/claimed-name.ts'
import { confidence, confidenceWords } from '../../components/values/confidence.ts'
import { networkName } from '../../components/values/network.ts'
import { fullTime } from '../../components/values/time.ts'
import { exactAmount } from '../../format/amount.ts'
import { counted, readableCount, readableShare } from '../../format/count.ts'
import { exactTime } from '../../format/time.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'

/** Decimals of XLM. */
const XLM_DECIMALS = 7

/** The parties, the amount and the time of a payment. @param listing for which the catalog has recorded it */
export const paymentFacts = (
  payment: PaymentRecord,
  now: number,
  listing: string | undefined,
): VNode =>
  facts([
    {
      label: 'Amount',
      value: figure(payment.amountDecimal, payment.amount, payment),
      note: `${payment.amount} base units`,
    },
    ceilingFact(payment),
    {
      label: 'Asset',
      value: assetFact(payment),
      note: payment.asset && visibleText(payment.asset),
    },
    { label: 'Buyer', value: whole(payment.buyer, 'Buyer', linkTo.address(payment.buyer)) },
    {
      label: 'Seller',
      value: [
        whole(
          payment.seller,
          'Seller',
          linkTo.seller(payment.seller, { network: payment.network }),
        ),
        claimedName(payment.serviceName),
      ],
      note: payment.muxedId && [
        'Paid to the muxed id ',
        h('span', { class: 'mono' }, payment.muxedId),
        copyButton(payment.muxedId, 'muxed id'),
        ', by which the seller tells its customers apart.',
      ],
    },
    {
      label: 'Scheme',
      value: payment.scheme,
      note: schemeNote(payment),
    },
    !!payment.resource && {
      label: 'Resource',
      // Text, not a link: a catalog may list any address for any seller.
      value: h('bdi', null, visibleText(payment.resource)),
      note: 'The payment declared it when this service settled it, and the catalog lists it for the seller.',
    },
    candidates(payment.resourceCandidates),
    listing !== undefined && {
      label: 'Listing',
      value: h('a', { href: linkTo.listing(listing) }, 'Its page in the catalog'),
      note: 'The catalog has recorded the settlement for it.',
    },
    { label: 'Time', value: fullTime(payment.closedAt, now), note: 'When its ledger closed.' },
  ])

/** Which of several was bought, the ledger does not say. */
const candidates = (resources: PaymentRecord['resourceCandidates']): Fact | undefined =>
  resources && {
    label: 'Resource',
    value: h(
      'span',
      { class: 'items' },
      resources.map((each) => h('bdi', { key: each }, visibleText(each))),
    ),
    note:
      resources.length === 1
        ? 'A catalog lists it for the seller: whether it was bought, the ledger does not say.'
        : 'A catalog lists these for the seller: which of them was bought, if one was, the ledger does not say.',
  }

/** The sender of the transaction, and its cost. */
export const submissionFacts = (payment: PaymentRecord): VNode =>
  facts([
    {
      label: 'Facilitator',
      value:
        payment.facilitator === null
          ? 'none known'
          : h(
              'a',
              { href: linkTo.facilitator(payment.facilitator.id) },
              h(
                'bdi',
                null,
                visibleText(payment.facilitator.displayName) || payment.facilitator.id,
              ),
            ),
    },
    {
      label: 'Confidence',
      value: confidence(payment.confidence),
      note: confidenceWords[payment.confidence].meaning,
    },
    {
      label: 'Submitted by',
      value: whole(payment.txSource, 'Submitter', linkTo.address(payment.txSource)),
      note: 'The source account of the transaction.',
    },
    payment.feeSource !== undefined && {
      label: 'Fee paid by',
      value: whole(payment.feeSource, 'Fee source', linkTo.address(payment.feeSource)),
      note: 'The account of the fee bump around the transaction.',
    },
    payment.feeChargedStroops !== undefined && {
      label: 'Fee',
      value: [
        h('span', { class: 'num' }, exactAmount(lumens(payment.feeChargedStroops)), ' XLM'),
        copyButton(payment.feeChargedStroops, 'fee in stroops'),
      ],
      note: `${counted(Number(payment.feeChargedStroops), 'stroop')}; what the payment cost its submitter.`,
    },
    payment.sigExpirationLedger !== undefined && {
      label: 'Signature valid until',
      value: [
        h('span', { class: 'num' }, 'ledger ', readableCount(payment.sigExpirationLedger)),
        copyButton(String(payment.sigExpirationLedger), 'last valid ledger'),
      ],
      note: expiryNote(payment.sigExpirationLedger - payment.ledger),
    },
  ])

/** Where the ledger has it. */
export const transactionFacts = (payment: PaymentRecord): VNode =>
  facts([
    { label: 'Hash', value: whole(payment.txHash, 'Transaction hash') },
    {
      label: 'Ledger',
      value: [
        h('span', { class: 'num' }, readableCount(payment.ledger)),
        copyButton(String(payment.ledger), 'ledger'),
      ],
    },
    {
      label: 'Network',
      value: [networkName(payment.network), copyButton(payment.network, 'network')],
      note: h('span', { class: 'mono' }, payment.network),
    },
    {
      label: 'Epoch',
      value: [exactTime(payment.epoch), copyButton(payment.epoch, 'epoch')],
      note: 'Since then the explorer follows this history of the network; a reset of the network begins another.',
    },
    !!payment.memo && {
      label: 'Memo',
      value: [
        h('bdi', { class: 'memo' }, visibleText(payment.memo)),
        copyButton(payment.memo, 'memo'),
      ],
    },
  ])

function schemeNote({ scheme, amount }: PaymentRecord): string {
  if (!isMetered(scheme)) return 'The buyer signed this amount.'
  return amount === '0'
    ? 'The buyer signed a ceiling, and nothing was used: the settlement moved nothing, and ended the authorization.'
    : 'The buyer signed a ceiling, and the seller took what was used.'
}

/** The ceiling of an `upto` payment, beside the part of it that was paid. */
function ceilingFact(payment: PaymentRecord): Fact | undefined {
  const { ceiling, ceilingDecimal, amount } = payment
  if (ceiling === undefined || ceilingDecimal === undefined) return undefined
  return {
    label: 'Ceiling',
    value: figure(ceilingDecimal, ceiling, payment),
    note: `The buyer signed at most this; ${readableShare(partOf(amount, ceiling))} of it was paid.`,
  }
}

/** Exact enough for a share, whatever the size of both. */
const partOf = (part: string, of: string): number =>
  BigInt(of) === 0n ? 0 : Number((BigInt(part) * 1_000_000n) / BigInt(of)) / 1_000_000

const figure = (decimal: string, exact: string, payment: PaymentRecord): VNode[] => [
  h('span', { class: 'num' }, exactAmount(decimal)),
  h('span', null, ' ', assetName(payment, payment.network)),
  copyButton(exact, 'amount in base units'),
]

const assetFact = ({ assetContract, network }: PaymentRecord): VNode =>
  whole(assetContract, 'Asset contract', linkTo.asset(assetContract, { network }))

const whole = (text: string, label: string, href?: string): VNode =>
  address(text, { label, href, isWhole: true })

const lumens = (stroops: string): string => decimalAmount(BigInt(stroops), XLM_DECIMALS)

function expiryNote(ledgers: number): string {
  if (ledgers === 0) return 'It was paid in the last ledger that allowed it.'
  return `It was paid ${counted(ledgers, 'ledger')} before that.`
}
