/** What a seller says stands in a marked block of the terminal, and does not leave it. */
import { expect, test } from 'vitest'
import type { FoundItem } from '../../../../src/buying/listings/catalog-client.ts'
import { type KnownPayer, listingFacts } from '../../../../src/buying/listings/listing-facts.ts'
import type { Quote } from '../../../../src/buying/quote/quote.ts'
import { quoteFacts } from '../../../../src/buying/quote/quote-facts.ts'
import { payerHere } from '../../../../src/commands/buying/catalog/payer-here.ts'
import { shownListing } from '../../../../src/commands/buying/catalog/show-listing.ts'
import type { PayFlags } from '../../../../src/commands/buying/pay/options.ts'
import { shownQuote } from '../../../../src/commands/buying/pay/show.ts'
import { payWords } from '../../../../src/commands/buying/pay/words.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { shellWord } from '../../../../src/platform/core/text/shell-word.ts'

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

const payer: KnownPayer = { hasSeed: true, hasRpc: () => true }
const listed = {
  ...{ resource: 'https://seller.example/report', type: 'http', description, accepts: [] },
  svc: { trust: 'settled', settlements: 1, listings: [], options: [] },
  extensions: { bazaar: { info: {}, schema: {} } },
} as unknown as FoundItem

test.each([
  ['a quote', () => shownQuote(quoteFacts(quoted), false)],
  ['a listing', () => shownListing(listingFacts(listed, payer))],
])('each line of the words in %s has its mark', (_, shown) => {
  const text = shown()
  expect(text).not.toContain('\r')
  const lines = text.split('\n').filter((line) => line.startsWith('  | ') && line !== '  | ')
  expect(lines).toEqual(marked.map((line) => `  | ${line}`))
})

test.each([
  [
    'the quotes of a shell',
    "a'b $(x)",
    'https://api.example/mcp',
    `'mcp+https://api.example/mcp#a'\\''b%20%24(x)'`,
  ],
  ['a plain name', 'forecast', 'https://api.example/mcp', `'mcp+https://api.example/mcp#forecast'`],
  ['another machine over plain http', 'forecast', 'http://api.example/mcp', null],
])('the command that pays for a tool with %s is safe to type', (_, toolName, resource, url) => {
  const price = { scheme: 'exact', network: 'stellar:testnet', amount: '200000', payTo: 'G' }
  const tool = {
    ...{ ...listed, resource, type: 'mcp' },
    accepts: [{ ...price, asset: usdcContracts['stellar:testnet'] }],
    svc: { trust: 'settled', settlements: 1, listings: [], options: [{ decimals: 7 }], toolName },
    extensions: { bazaar: { info: { input: { example: { city: 'Köln' } } }, schema: {} } },
  } as unknown as FoundItem
  const { pay } = listingFacts(tool, payer)
  const data = `'{"city":"K\\u00f6ln"}'`
  expect(pay).toBe(url && `svc pay ${url} --data ${data} --max 0.02`)
  if (pay !== null) expect(shownListing(listingFacts(tool, payer))).toContain(pay)
})

const usdc = usdcContracts['stellar:testnet']
test.each([
  ['USDC whose decimals the catalog does not know', [[usdc, undefined]], '--max 0.02'],
  ['USDC for which the catalog has other decimals', [[usdc, 0]], '--max 0.02'],
  ['another token', [['CTOKEN', 4]], '--max 20 --asset CTOKEN'],
  [
    'another token and USDC',
    [
      ['CTOKEN', 4],
      [usdc, undefined],
    ],
    '--max 0.02',
  ],
  ['a token of unknown decimals', [['CTOKEN', undefined]], null],
  ['nothing', [], null],
] as const)('the command that pays in %s names what it costs', (_, prices, words) => {
  const option = { scheme: 'exact', network: 'stellar:testnet', amount: '200000', payTo: 'G' }
  const tool = {
    ...{ ...listed, resource: 'https://api.example/mcp', type: 'mcp' },
    accepts: prices.map(([asset]) => ({ ...option, asset })),
    svc: { ...listed.svc, options: prices.map(([, decimals]) => ({ decimals })), toolName: 'now' },
  } as unknown as FoundItem
  const command = `svc pay 'mcp+https://api.example/mcp#now' --data '{}' ${words}`
  expect(listingFacts(tool, payer).pay).toBe(words && command)
})

test.each([
  ['nothing is named', {}, ['--rpc', 'https://stellar-rpc.example', '--key-file', 'buyer.seed']],
  [
    'the RPC and the seed are named',
    { PUBNET_RPC_URL: 'https://rpc.example', BUYER_SECRET: 'S' },
    [],
  ],
  [
    'a file of the seed is named',
    { BUYER_SECRET_FILE: 'seed' },
    ['--rpc', 'https://stellar-rpc.example'],
  ],
] as const)('the command that pays on pubnet can run where %s', (_, variables, more) => {
  const network = 'stellar:pubnet'
  const option = { scheme: 'exact', network, amount: '200000', payTo: 'G' }
  const tool = {
    ...{ ...listed, resource: 'https://api.example/mcp', type: 'mcp' },
    accepts: [{ ...option, asset: usdcContracts[network] }],
    svc: { ...listed.svc, options: [{}], toolName: 'now' },
  } as unknown as FoundItem
  const facts = listingFacts(tool, payerHere(variables))
  const url = 'mcp+https://api.example/mcp#now'
  const words = [url, '--data', '{}', '--max', '0.02', '--network', network, ...more]
  expect(facts.pay).toBe(['svc', 'pay', ...words].map(shellWord).join(' '))
  const needed = shownListing(facts).match(/^ +needs .*$/gm) ?? []
  expect(needed).toHaveLength(more.length / 2)

  const flags = {
    ...{ max: '0.02', network, data: '{}', header: [] },
    ...(more.includes('--rpc' as never) && { rpc: 'https://stellar-rpc.example' }),
  } as unknown as PayFlags
  expect(payWords([url], flags, variables)).toMatchObject({ target: { url, network } })
})
