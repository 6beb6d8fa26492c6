import { h, type VNode } from 'preact'
import { type NetworkId, usdcContracts } from '../../../../platform/core/caip2.ts'
import { exactAmount, readableAmount } from '../../format/amount.ts'
import { readableCount } from '../../format/count.ts'
import { shortened } from '../../format/short.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'

export interface ShownAsset {
  readonly assetContract: string
  readonly assetCode?: string | undefined
  /** `code:issuer` */
  readonly asset?: string | undefined
}

const circle: ReadonlySet<string> = new Set(Object.values(usdcContracts))

/** Whether the code alone names the asset: it is Circle's USDC, or the network's own XLM. */
export const isWellKnown = ({ assetContract, assetCode, asset }: ShownAsset): boolean =>
  circle.has(assetContract) || (assetCode === 'XLM' && (asset === 'native' || asset === 'XLM'))

/**
 * The code of an asset, linked to its page. Anyone can issue an asset with any code, so one that is not well known also
 * shows the ends of its contract.
 */
export function assetName(asset: ShownAsset, network?: NetworkId): VNode {
  const { assetContract, assetCode } = asset
  const code = assetCode && visibleText(assetCode)
  const title = asset.asset
    ? `${visibleText(asset.asset)}, contract ${assetContract}`
    : assetContract
  return h(
    'a',
    { class: 'asset', href: linkTo.asset(assetContract, { network }), title },
    code && h('bdi', null, code),
    (!code || !isWellKnown(asset)) &&
      h('span', { class: 'soft mono' }, code && ' ', shortened(assetContract)),
  )
}

/** A payment's amount with every digit while these fit into a line, and its asset. The payment's page has every digit. */
export const amount = (decimal: string, asset: ShownAsset, network?: NetworkId): VNode =>
  h(
    'span',
    { class: 'amount' },
    h('span', { class: 'num', title: exactAmount(decimal) }, shownAmount(decimal)),
    ' ',
    assetName(asset, network),
  )

const LONGEST_AMOUNT = 24

/** Every digit while these fit into a line. */
export function shownAmount(decimal: string): string {
  const exact = exactAmount(decimal)
  return exact.length > LONGEST_AMOUNT ? readableAmount(decimal) : exact
}

export interface ShownTotal extends ShownAsset {
  readonly total: string
  readonly totalDecimal?: string | undefined
}

export interface TotalOptions {
  readonly network?: NetworkId | undefined
  /** The payments that the total adds up. */
  readonly hrefOf: (asset: ShownAsset) => string
}

/** A total, shortened; its title, and the page of its asset, have every digit. */
export const total = (shown: ShownTotal, { network, hrefOf }: TotalOptions): VNode =>
  h('span', { class: 'amount' }, totalFigure(shown, hrefOf(shown)), ' ', assetName(shown, network))

export function totalFigure({ total, totalDecimal }: ShownTotal, href: string): VNode {
  const [title, text] =
    totalDecimal === undefined
      ? [`${total} base units`, `${readableAmount(total)} base units of`]
      : [exactAmount(totalDecimal), readableAmount(totalDecimal)]
  return h('a', { class: 'num', href, title }, text)
}

/** The largest total, and how many more there are. */
export function totals(shown: readonly ShownTotal[], options: TotalOptions): VNode {
  const [largest] = shown
  if (largest === undefined) return h('span', { class: 'soft' }, 'none')
  const others = shown.length - 1
  return h(
    'span',
    { class: 'totals' },
    total(largest, options),
    others > 0 && h('span', { class: 'soft' }, `and ${readableCount(others)} more`),
  )
}
