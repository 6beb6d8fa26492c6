import { ofEachScheme } from '../../../payments/protocol/schemes.ts'
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import type { AggregateBlock, AssetTotal } from '../../records.ts'
import type { Span } from '../../store/figures/spans.ts'
import type { AssetTotals, GroupedTotals, Totals } from '../../store/stats/read-totals.ts'
import { assetNames, decimalOf } from '../asset.ts'
import { compareText } from '../compare-text.ts'

/** The assets of an answer: anybody may create assets and pay with them. */
export const MAX_ASSETS = 100

/** @param seconds since the Unix epoch */
export const timeOf = (seconds: number): string => isoTime(seconds * 1_000)

/** The interface's block of headline numbers. */
export function aggregateBlock(
  totals: GroupedTotals,
  span: Span,
  unique: { readonly buyers: number; readonly sellers: number },
): AggregateBlock {
  return {
    totalPayments: totals.all.payments[span],
    uniqueBuyers: unique.buyers,
    uniqueSellers: unique.sellers,
    ...splitCounts(totals, span),
    byAsset: assetTotals(totals.byAsset, span),
    ...firstAndLast(totals.all),
  }
}

export function splitCounts(
  { byScheme, byConfidence }: Pick<GroupedTotals, 'byScheme' | 'byConfidence'>,
  span: Span,
): Pick<AggregateBlock, 'byScheme' | 'byConfidence'> {
  const confidence = (name: 'svc' | 'verified-facilitator' | 'x402-shaped') =>
    byConfidence.get(name)?.payments[span] ?? 0
  return {
    byScheme: ofEachScheme((name) => byScheme.get(name)?.payments[span] ?? 0),
    byConfidence: {
      svc: confidence('svc'),
      'verified-facilitator': confidence('verified-facilitator'),
      'x402-shaped': confidence('x402-shaped'),
    },
  }
}

export const firstAndLast = ({
  firstAt,
  lastAt,
}: Pick<Totals, 'firstAt' | 'lastAt'>): Pick<
  AggregateBlock,
  'firstPaymentAt' | 'lastPaymentAt'
> => ({
  ...(firstAt !== null && { firstPaymentAt: timeOf(firstAt) }),
  ...(lastAt !== null && { lastPaymentAt: timeOf(lastAt) }),
})

/** Largest count first, then by contract. */
export const assetTotals = (assets: readonly AssetTotals[], span: Span): AssetTotal[] =>
  assets
    .filter(({ payments }) => payments[span] > 0)
    .sort(
      (a, b) =>
        b.payments[span] - a.payments[span] || compareText(a.asset.contract, b.asset.contract),
    )
    .slice(0, MAX_ASSETS)
    .map(({ asset, payments, amount }) =>
      assetTotal({ asset, payments: payments[span], amount: amount[span] }),
    )

export const assetTotal = ({
  asset,
  payments,
  amount,
}: {
  readonly asset: AssetTotals['asset']
  readonly payments: number
  readonly amount: string
}): AssetTotal => ({
  assetContract: asset.contract,
  count: payments,
  total: amount,
  totalDecimal: decimalOf(amount, asset),
  ...assetNames(asset),
})
