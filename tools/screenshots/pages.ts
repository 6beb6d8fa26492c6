import { linkTo, pagePaths } from '../../src/explorer/web/links.ts'
import type { Market } from '../../test/support/explorer/believable-market.ts'

/** The address of each page, by the name of its picture. */
/** @param listings ids, without a catalog none */
export function pagesOf(
  { payments, facilitators }: Market,
  listings: readonly string[],
): Readonly<Record<string, string>> {
  const last = payments.at(-1)!
  const upto =
    payments.findLast(({ scheme, memo }) => scheme === 'upto' && memo !== undefined) ?? last
  const busiest = mostCommon(payments.map(({ seller }) => seller))
  return {
    overview: linkTo.overview(),
    catalog: linkTo.catalog(),
    'catalog-question': linkTo.catalog({ q: 'weather forecast under 2 cents', trust: 'settled' }),
    'catalog-nothing': linkTo.catalog({ q: 'zeppelin tickets', maxPrice: '0.001' }),
    listing: linkTo.listing(listings[0] ?? ''),
    'listing-body': linkTo.listing(listings[1] ?? ''),
    'listing-tool': linkTo.listing(listings[4] ?? ''),
    payments: linkTo.payments(),
    'payments-filtered': linkTo.payments({ scheme: 'upto', confidence: 'x402-shaped' }),
    payment: linkTo.payment(upto.txHash),
    'payment-unknown': linkTo.payment('0'.repeat(64)),
    sellers: linkTo.sellers(),
    seller: linkTo.seller(busiest),
    facilitators: linkTo.facilitators(),
    facilitator: linkTo.facilitator(facilitators[1]?.id ?? 'svc'),
    asset: linkTo.asset(last.asset),
    address: linkTo.address(last.buyer),
    'search-list': `${pagePaths.find}?q=a`,
    'search-nothing': `${pagePaths.find}?q=no+such+name`,
    'no-page': '/ui/no-such-page',
  }
}

function mostCommon(all: readonly string[]): string {
  const counts = Map.groupBy(all, (each) => each)
  const [[first] = ['']] = [...counts].sort(([, a], [, b]) => b.length - a.length)
  return first
}
