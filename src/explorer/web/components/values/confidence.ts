import { h, type VNode } from 'preact'
import type { PaymentRecord } from '../../../records.ts'
import type { Confidence } from '../../../store/tables.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'

interface Words {
  readonly label: string
  readonly meaning: string
}

/** How pages name who submitted a payment. */
export const confidenceWords: Readonly<Record<Confidence, Words>> = {
  svc: { label: 'This service', meaning: 'This service submitted it.' },
  'verified-facilitator': {
    label: 'Verified facilitator',
    meaning:
      'A verified facilitator submitted it: a configured one, or one for which the submitting account has signed.',
  },
  'x402-shaped': {
    label: 'x402-shaped',
    meaning: 'It has the shape of an x402 payment; no known facilitator submitted it.',
  },
}

/** In words; the mark beside them differs in shape too. */
export const confidence = (value: Confidence): VNode =>
  h(
    'span',
    { class: `confidence ${value}`, title: confidenceWords[value].meaning },
    h('span', { class: 'shape', 'aria-hidden': 'true' }),
    confidenceWords[value].label,
  )

/** The facilitator of a payment where one is known, otherwise what is known of it. */
export function submitter({ facilitator, confidence: value }: PaymentRecord): VNode {
  if (facilitator === null) return confidence(value)
  return h(
    'span',
    { class: `confidence ${value}`, title: confidenceWords[value].meaning },
    h('span', { class: 'shape', 'aria-hidden': 'true' }),
    h(
      'a',
      { href: linkTo.facilitator(facilitator.id) },
      h('bdi', null, visibleText(facilitator.displayName) || facilitator.id),
    ),
  )
}

/** Marks a payment whose buyer is its seller. */
export const selfPaid = ({
  buyer,
  seller,
}: Pick<PaymentRecord, 'buyer' | 'seller'>): VNode | false =>
  buyer === seller &&
  h('span', { class: 'tag warn', title: 'Buyer and seller are the same address.' }, 'self-payment')
