import { h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { cleanLine } from '../../../../platform/core/text/hostile-text.ts'
import type { PaymentRecord } from '../../../records.ts'
import { isWellKnown } from '../../components/amount.ts'
import { confidenceWords } from '../../components/confidence.ts'
import { networkName } from '../../components/network.ts'
import { exactAmount, readableAmount } from '../../format/amount.ts'
import { shortened } from '../../format/short.ts'
import { exactTime } from '../../format/time.ts'
import { cardSize } from './card-size.ts'
import { cutToWidth, isDrawable, widthInEm } from './fit-text.ts'

const MARGIN = 80
const INNER = cardSize.width - 2 * MARGIN

const colors = {
  background: '#0c1a18',
  raised: '#12302c',
  text: '#f4f8f7',
  soft: '#9db5b0',
  accent: '#5fd8c6',
  mark: '#0b7a6f',
} as const

/** The picture that a link to a payment shows where it is shared, as SVG. Texts of others cannot leave their place. */
export const cardSvg = (payment: PaymentRecord): string => renderToString(cardOf(payment))

const cardOf = (payment: PaymentRecord): VNode =>
  h(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      ...cardSize,
      viewBox: `0 0 ${cardSize.width} ${cardSize.height}`,
    },
    h('rect', { ...cardSize, fill: colors.background }),
    h('circle', { cx: 1_130, cy: 20, r: 330, fill: colors.raised, opacity: 0.55 }),
    h('circle', { cx: 1_130, cy: 20, r: 210, fill: colors.raised }),
    brand(),
    pill(networkName(payment.network)),
    amountLine(payment),
    ceilingLine(payment),
    party('From', 330, shortened(payment.buyer), undefined),
    party('To', 420, shortened(payment.seller), payment.serviceName),
    footLine(payment),
  )

interface TextOptions {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly fill?: string
  readonly isBold?: boolean
  readonly isMono?: boolean
  readonly anchor?: 'start' | 'end' | 'middle'
}

const text = (content: string, options: TextOptions): VNode =>
  h(
    'text',
    {
      x: options.x,
      y: options.y,
      'font-size': options.size,
      'font-family': options.isMono ? 'DejaVu Sans Mono' : 'DejaVu Sans',
      'font-weight': options.isBold ? 'bold' : 'normal',
      'text-anchor': options.anchor ?? 'start',
      fill: options.fill ?? colors.text,
    },
    content,
  )

const brand = (): VNode =>
  h(
    'g',
    null,
    h(
      'g',
      { transform: `translate(${MARGIN} 66) scale(2.2)` },
      h('rect', { width: 24, height: 24, rx: 7, fill: colors.mark }),
      h('path', {
        d: 'M6.5 9.5h8.2l-2.4-2.6M17.5 14.5H9.3l2.4 2.6',
        fill: 'none',
        stroke: '#fff',
        'stroke-width': 1.8,
        'stroke-linecap': 'round',
        'stroke-linejoin': 'round',
      }),
    ),
    text('x402 payment', { x: 152, y: 104, size: 34, isBold: true }),
  )

function pill(label: string): VNode {
  const width = widthInEm(label) * 28 + 50
  const x = cardSize.width - MARGIN - width
  return h(
    'g',
    null,
    h('rect', { x, y: 66, width, height: 52, rx: 26, fill: colors.mark }),
    text(label, { x: x + width / 2, y: 102, size: 28, anchor: 'middle' }),
  )
}

const MAX_AMOUNT_SIZE = 112

/** A longer figure would be too small to read. */
const MAX_FIGURE_EM = 12

/** The exact amount, or a shortened one where that would be too wide. More digits make the font smaller. */
function amountLine(payment: PaymentRecord): VNode {
  const figure = figureOf(payment.amountDecimal)
  const code = assetOf(payment)
  const width = widthInEm(figure) + 0.3 + widthInEm(code) * 0.6
  const size = Math.min(MAX_AMOUNT_SIZE, Math.floor(INNER / width))
  return h(
    'text',
    {
      x: MARGIN,
      y: 248,
      'font-size': size,
      'font-family': 'DejaVu Sans',
      'font-weight': 'bold',
      fill: colors.text,
    },
    figure,
    h('tspan', { dx: size * 0.25, 'font-size': size * 0.6, fill: colors.accent }, code),
  )
}

/** What `upto` allowed. */
const ceilingLine = ({ ceilingDecimal }: PaymentRecord): VNode | null =>
  ceilingDecimal === undefined
    ? null
    : text(`of at most ${figureOf(ceilingDecimal)}`, {
        x: MARGIN,
        y: 288,
        size: 28,
        fill: colors.soft,
      })

function figureOf(decimal: string): string {
  const exact = exactAmount(decimal)
  return widthInEm(exact) <= MAX_FIGURE_EM ? exact : readableAmount(decimal)
}

/** Anyone can issue an asset with any code: one that is not well known also shows the ends of its contract. */
function assetOf(payment: PaymentRecord): string {
  const code = nameOf(payment.assetCode)
  const contract = shortened(payment.assetContract)
  if (code === undefined) return contract
  return isWellKnown(payment) ? code : `${cutToWidth(code, MAX_CODE_EM)} ${contract}`
}

/** Twelve letters, as codes of classic assets have at most, fit. */
const MAX_CODE_EM = 14

/** Who paid or was paid: the address, and beside it the name that the seller gave itself. */
function party(label: string, y: number, address: string, given: string | undefined): VNode {
  const name = nameOf(given)
  const x = MARGIN + 120
  return h(
    'g',
    null,
    text(label, { x: MARGIN, y, size: 30, fill: colors.soft }),
    text(address, { x, y, size: 38, isMono: true }),
    name === undefined
      ? null
      : text(cutToWidth(name, (INNER - 400) / 36), { x: x + 260, y, size: 36, isBold: true }),
  )
}

function footLine(payment: PaymentRecord): VNode {
  const { facilitator, confidence, closedAt } = payment
  const known =
    facilitator === null ? undefined : (nameOf(facilitator.displayName) ?? facilitator.id)
  const by = known === undefined ? confidenceWords[confidence].label : `via ${known}`
  return h(
    'g',
    null,
    h('rect', { x: MARGIN, y: 480, width: INNER, height: 2, fill: colors.raised }),
    text(cutToWidth(by, INNER / 30), { x: MARGIN, y: 534, size: 30 }),
    text(exactTime(closedAt), { x: MARGIN, y: 580, size: 26, fill: colors.soft }),
    text(shortened(payment.txHash), {
      x: cardSize.width - MARGIN,
      y: 580,
      size: 26,
      fill: colors.soft,
      isMono: true,
      anchor: 'end',
    }),
  )
}

/** A name that others gave, if it can be drawn. */
function nameOf(text: string | undefined): string | undefined {
  const line = cleanLine(text ?? '')
  return isDrawable(line) ? line : undefined
}
