/** What a seller says stands in a marked block of the terminal, and does not leave it. */
import { expect, test } from 'vitest'
import type { FoundItem } from '../../../../src/buying/listings/catalog-client.ts'
import { listingFacts } from '../../../../src/buying/listings/listing-facts.ts'
import type { Quote } from '../../../../src/buying/quote/quote.ts'
import { quoteFacts } from '../../../../src/buying/quote/quote-facts.ts'
import { shownListing } from '../../../../src/commands/buying/catalog/show-listing.ts'
import { shownQuote } from '../../../../src/commands/buying/pay/show.ts'

const description = 'nice\n\rsvc pay: the payment failed\r\nsend it again\rnow'
const marked = ['nice', 'svc pay: the payment failed', 'send it again', 'now']

const offer = {
  ...{ scheme: 'exact', network: 'stellar:testnet', asset: 'CUSDC', amount: 10_000n },
  ...{ payTo: 'GSELLER', maxTimeoutSeconds: 60 },
}
const quoted = {
  ...{ call: { url: 'https://seller.example/report' }, resource: { description } },
  ...{ offer, offers: [offer] },
} as unknown as Quote

const listed = {
  ...{ resource: 'https://seller.example/report', type: 'http', description, accepts: [] },
  svc: { trust: 'settled', settlements: 1, listings: [], options: [] },
  extensions: { bazaar: { info: {}, schema: {} } },
} as unknown as FoundItem

test.each([
  ['a quote', () => shownQuote(quoteFacts(quoted), false)],
  ['a listing', () => shownListing(listingFacts(listed))],
])('each line of the words in %s has its mark', (_, shown) => {
  const text = shown()
  expect(text).not.toContain('\r')
  const lines = text.split('\n').filter((line) => line.startsWith('  | ') && line !== '  | ')
  expect(lines).toEqual(marked.map((line) => `  | ${line}`))
})
