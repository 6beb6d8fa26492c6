import { expect, test } from 'vitest'
import { describeConstraints } from '../../../../src/catalog/filters/constraints.ts'
import { parseQuestion } from '../../../../src/catalog/search/query/parse-question.ts'

const SYMBOLS = ['USDC', 'ARSX', 'FOR']
const read = (query: string): { recognised: string[]; rest: string } => {
  const { constraints, rest } = parseQuestion(query, SYMBOLS)
  return {
    recognised: describeConstraints(constraints),
    rest: rest.replace(/[\s,.;:]+/g, ' ').trim(),
  }
}

test.each([
  // Networks.
  ['weather on testnet', ['network=stellar:testnet'], 'weather'],
  ['weather, mainnet only', ['network=stellar:pubnet'], 'weather'],
  ['weather on the public network', ['network=stellar:pubnet'], 'weather'],
  ['weather that must work on stellar:pubnet', ['network=stellar:pubnet'], 'weather'],
  ['weather, not on testnet', ['network!=stellar:testnet'], 'weather'],
  ['weather except for pubnet', ['network!=stellar:pubnet'], 'weather'],
  // Negated in another language, a name must not be read as its opposite.
  ['Wetter, nicht auf testnet', ['network!=stellar:testnet'], 'Wetter'],
  ['clima sin testnet', ['network!=stellar:testnet'], 'clima'],
  ['meteo, pas de MCP', ['type!=mcp'], 'meteo'],
  ['Wetter, kein MCP', ['type!=mcp'], 'Wetter'],
  ['Wetter, nicht in USDC', ['asset!=USDC'], 'Wetter'],
  ['weather on both networks', ['network=stellar:testnet', 'network=stellar:pubnet'], 'weather'],
  [
    'weather, mainnet as well as testnet',
    ['network=stellar:testnet', 'network=stellar:pubnet'],
    'weather',
  ],
  ['weather on testnet or mainnet', [], 'weather'],
  // Types.
  ['weather as an MCP tool', ['type=mcp'], 'weather'],
  ['an MCP server for weather', ['type=mcp'], 'for weather'],
  ['weather, no MCP', ['type!=mcp'], 'weather'],
  ['REST API for weather', ['type=http'], 'for weather'],
  ['weather over HTTP', ['type=http'], 'weather'],
  ['weather, not via HTTP', ['type!=http'], 'weather'],
  ['weather, no http', ['type!=http'], 'weather'],
  ['weather, http only', ['type=http'], 'weather'],
  ['weather http only', ['type=http'], 'weather'],
  ['check http only cookies', [], 'check http only cookies'],
  ['check http headers', [], 'check http headers'],
  ['http status codes', [], 'http status codes'],
  // Schemes.
  ['weather with the upto scheme', ['scheme=upto'], 'weather'],
  ['weather, exact payments', ['scheme=exact'], 'weather'],
  ['weather without the upto scheme', ['scheme!=upto'], 'weather'],
  // Assets.
  ['weather paid in EURC', ['asset=EURC'], 'weather'],
  ['weather, XLM accepted', ['asset=XLM'], 'weather'],
  ['weather, we only hold lumens', ['asset=XLM'], 'weather'],
  ['weather, not in USDC', ['asset!=USDC'], 'weather'],
  ['weather paid in ARSX', ['asset=ARSX'], 'weather'],
  ['convert USDC to EURC', [], 'convert USDC to EURC'],
  // Anyone can name an asset as a common word, so it is read in upper case only.
  ['who can I pay for weather', [], 'who can I pay for weather'],
  // Prices.
  ['weather under 2 cents', ['maxPrice=0.02 USD'], 'weather'],
  ['weather for less than $0.005 per call', ['maxPrice=0.005 USD'], 'weather'],
  ['weather, five cents at most', ['maxPrice=0.05 USD'], 'weather'],
  ['weather, 2¢ or less', ['maxPrice=0.02 USD'], 'weather'],
  ['weather cheaper than half a cent', ['maxPrice=0.005 USD'], 'weather'],
  ['weather below a tenth of a dollar', ['maxPrice=0.1 USD'], 'weather'],
  ['weather, max a penny', ['maxPrice=0.01 USD'], 'weather'],
  ['weather, no more than twenty-five cents', ['maxPrice=0.25 USD'], 'weather'],
  ['weather that should not cost more than 0,5 cents', ['maxPrice=0.005 USD'], 'weather that'],
  ['weather, up to 5,000 base units', ['maxPrice=5000 base units'], 'weather'],
  ['weather under 100 stroops', ['maxPrice=0.00001 XLM'], 'weather'],
  ['weather under 0.3 EURC', ['maxPrice=0.3 EURC'], 'weather'],
  ['weather, €0.01 max', ['maxPrice=0.01 EURC'], 'weather'],
  ['weather maxPrice=0.02', ['maxPrice=0.02 USD'], 'weather'],
  ['weather, max 0,05 €', ['maxPrice=0.05 EURC'], 'weather'],
  ['weather under 0,05 euro', ['maxPrice=0.05 EURC'], 'weather'],
  ['weather under 0.05', ['maxPrice=0.05 USD'], 'weather'],
  ['weather for at most .05 per call', ['maxPrice=0.05 USD'], 'weather'],
  ['weather <= 0,05', ['maxPrice=0.05 USD'], 'weather'],
  ['weather paid in EURC, max 0.05', ['asset=EURC', 'maxPrice=0.05 EURC'], 'weather'],
  ['only EURC and at most 0.5 of it, weather', ['asset=EURC', 'maxPrice=0.5 EURC'], 'weather'],
  // A price that is the subject's, and numbers that are no prices.
  ['a hotel under 100 dollars a night', [], 'a hotel under 100 dollars a night'],
  ['forecast below 0 degrees', [], 'forecast below 0 degrees'],
  ['jobs within 30 km', [], 'jobs within 30 km'],
  ['games for kids under 5', [], 'games for kids under 5'],
  ['earthquakes below 0.5 magnitude', [], 'earthquakes below 0 5 magnitude'],
  // Together.
  [
    'weather via MCP in USDC on mainnet under 5 cents',
    ['network=stellar:pubnet', 'type=mcp', 'asset=USDC', 'maxPrice=0.05 USD'],
    'weather',
  ],
])('"%s" names %j', (query, recognised, rest) => {
  expect(read(query)).toEqual({ recognised, rest })
})

test('"a tool that" is no subject', () => {
  expect(parseQuestion('a tool that translates')).toMatchObject({
    rest: 'translates',
    asksForTool: true,
  })
  expect(parseQuestion('translate')).toMatchObject({ rest: 'translate', asksForTool: false })
})
