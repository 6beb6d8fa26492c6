import { h, type VNode } from 'preact'
import type { PaymentRecord } from '../../../records.ts'
import { card } from '../../components/card.ts'
import { address } from '../../components/values/address.ts'
import { claimedName, claimedText } from '../../components/values/claimed-name.ts'
import { selfPaid } from '../../components/values/confidence.ts'
import { networkName } from '../../components/values/network.ts'
import { time } from '../../components/values/time.ts'
import type { PageDeps } from '../../deps.ts'
import { exactAmount } from '../../format/amount.ts'
import { shortened } from '../../format/short.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import { type Page, PageRefusal, type PageRequest } from '../../page.ts'
import { paymentFacts, submissionFacts, transactionFacts } from './payment-facts.ts'

/** Every fact of one payment. */
export async function paymentPage(
  { params, now }: PageRequest,
  { reads, catalog }: Pick<PageDeps, 'reads' | 'catalog'>,
): Promise<Page> {
  const hash = params['hash'] ?? ''
  const payment = isHash(hash) ? await reads.payment(hash.toLowerCase()) : undefined
  if (payment === undefined) throw notObserved(hash)
  const listing = catalog && (await reads.listingOf(payment))
  const title = `${exactAmount(payment.amountDecimal)} ${codeOf(payment)}`
  return {
    title,
    section: 'payments',
    description: sentenceOf(payment),
    body: [
      h(
        'header',
        { class: 'payment-head' },
        h('p', { class: 'eyebrow' }, 'x402 payment', tags(payment)),
        h('h1', { class: 'num' }, title),
        h('p', { class: 'payment-sentence' }, summary(payment, now)),
      ),
      h(
        'div',
        { class: 'payment-parts' },
        card({ title: 'Payment', id: 'payment' }, paymentFacts(payment, now, listing)),
        card({ title: 'Submission', id: 'submission' }, submissionFacts(payment)),
        card(
          {
            title: 'Transaction',
            id: 'transaction',
            aside: h('a', { href: `/tx/${payment.txHash}` }, 'JSON'),
          },
          transactionFacts(payment),
        ),
      ),
    ],
  }
}

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text)

const notObserved = (hash: string): PageRefusal =>
  isHash(hash)
    ? new PageRefusal(
        404,
        'No payment of this transaction is known',
        'If it is only seconds old, the explorer may not have read its ledger yet: load this page again. Otherwise the ' +
          'transaction is no x402 payment, failed, or closed in a ledger that was not read; the foot of this page says how far each network is read.',
      )
    : new PageRefusal(
        404,
        'This is no transaction hash',
        'The hash of a transaction has 64 digits from 0 to 9 and a to f. Copy it again from where you found it.',
      )

const codeOf = ({ assetCode, assetContract }: PaymentRecord): string =>
  (assetCode && visibleText(assetCode)) || shortened(assetContract)

const tags = (payment: PaymentRecord): VNode =>
  h(
    'span',
    { class: 'tags' },
    h('span', { class: 'tag' }, networkName(payment.network)),
    h('span', { class: 'tag' }, payment.scheme),
    selfPaid(payment),
  )

/** Says who paid whom, through whom and when, with links. */
const summary = (payment: PaymentRecord, now: number): readonly (VNode | string)[] => {
  const { buyer, seller, serviceName, network, facilitator } = payment
  const name = claimedName(serviceName)
  const mayCopy = false
  const used = usedOf(payment)
  return [
    address(buyer, { label: 'Buyer', href: linkTo.address(buyer), mayCopy }),
    ' paid ',
    ...(used === undefined ? [] : [h('bdi', { class: 'num' }, used), ' to ']),
    address(seller, { label: 'Seller', href: linkTo.seller(seller, { network }), mayCopy }),
    ...(name ? [' (', name, ') '] : [' ']),
    time(payment.closedAt, now),
    ', through ',
    facilitator === null
      ? facilitatorName(payment)
      : h(
          'a',
          { href: linkTo.facilitator(facilitator.id) },
          h('bdi', null, facilitatorName(payment)),
        ),
    '.',
  ]
}

/** The paid part of the ceiling; undefined with `exact`. */
function usedOf(payment: PaymentRecord): string | undefined {
  const { amountDecimal, ceilingDecimal } = payment
  if (ceilingDecimal === undefined) return undefined
  return `${exactAmount(amountDecimal)} of at most ${exactAmount(ceilingDecimal)} ${codeOf(payment)}`
}

const facilitatorName = ({ facilitator }: PaymentRecord): string =>
  facilitator === null
    ? 'no known facilitator'
    : visibleText(facilitator.displayName) || facilitator.id

/** The same as text, for link previews. */
function sentenceOf(payment: PaymentRecord): string {
  const { buyer, seller, serviceName, network } = payment
  const claim = claimedText(serviceName)
  const to = [shortened(seller), claim && `(${claim})`].filter(Boolean).join(' ')
  const where = networkName(network)
  const used = usedOf(payment)
  const paid = used === undefined ? 'paid' : `paid ${used} to`
  return `${shortened(buyer)} ${paid} ${to} on Stellar ${where}, through ${facilitatorName(payment)}.`
}
