import { h, type VNode } from 'preact'
import type { CatalogItem } from '../../../../buying/client/catalog-types.ts'
import { isMetered } from '../../../../payments/protocol/schemes.ts'
import { decimalAmount } from '../../../../platform/core/amounts/decimal.ts'
import { isNetworkId, usdcContracts } from '../../../../platform/core/caip2.ts'
import { amount, assetName } from '../../components/values/amount.ts'
import { visibleText } from '../../format/visible-text.ts'

export type PaymentOption = CatalogItem['accepts'][number]
type AssetFacts = Pick<CatalogItem['svc']['options'][number], 'symbol' | 'decimals'>

const USDC_DECIMALS = 7

/** Whether it is Circle's USDC, which everyone has; anyone can issue an asset with that name. */
export const isUsdc = ({ network, asset }: Pick<PaymentOption, 'network' | 'asset'>): boolean =>
  isNetworkId(network) && usdcContracts[network] === asset

/** The price as a decimal; undefined while the decimals of the asset are unknown. */
export function decimalPrice(
  option: PaymentOption,
  facts: AssetFacts | undefined,
): string | undefined {
  const decimals = isUsdc(option) ? USDC_DECIMALS : facts?.decimals
  if (decimals === undefined || !/^\d{1,39}$/.test(option.amount)) return undefined
  return decimalAmount(BigInt(option.amount), decimals)
}

/** What a call costs; of a metered one, what it costs at most. */
export function price(option: PaymentOption, facts: AssetFacts | undefined): VNode {
  const { network, asset, scheme } = option
  const symbol = isUsdc(option) ? 'USDC' : facts?.symbol
  const shown = { assetContract: asset, ...(symbol && { assetCode: symbol }) }
  const on = isNetworkId(network) ? network : undefined
  const decimal = decimalPrice(option, facts)
  return h(
    'span',
    { class: 'price' },
    isMetered(scheme) && h('span', { class: 'soft' }, 'at most '),
    decimal === undefined
      ? [
          h('span', { class: 'num' }, visibleText(option.amount)),
          ' base units of ',
          assetName(shown, on),
        ]
      : amount(decimal, shown, on),
  )
}
