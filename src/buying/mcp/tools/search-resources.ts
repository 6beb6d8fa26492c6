import { z } from 'zod'
import { schemeNames } from '../../../payments/protocol/schemes.ts'
import { type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import { SHORT } from '../answers/seller-text.ts'
import { resourceLine, shownResource, shownResourceSchema } from '../answers/shown-resource.ts'
import { decimalArgument, searchSchema } from '../answers/wire.ts'
import type { Facts, SearchQuery } from '../facts/facts.ts'
import { readFacts } from '../facts/read-facts.ts'
import { type Tool, tool } from './tool.ts'
import { toolInput } from './tool-input.ts'

const MAX_RESULTS = 20
const DEFAULT_RESULTS = 5

const input = toolInput({
  query: z.string().min(1).max(500).describe('What is wanted, in words.'),
  network: z
    .string()
    .max(73)
    .optional()
    .describe(`Only resources that can be paid on it: ${networkIds.join(' or ')}.`),
  type: z.string().max(32).optional().describe('http or mcp.'),
  scheme: z
    .string()
    .max(32)
    .optional()
    .describe(`${schemeNames.join(' or ')}.`),
  asset: z.string().max(128).optional().describe('Contract (C...) or symbol, such as USDC.'),
  maxPrice: decimalArgument(z.string().regex(/^\d{1,15}(\.\d{1,18})?$/))
    .optional()
    .describe('Most that a call may cost: units of asset where that is given, else US dollars.'),
  payTo: z.string().max(128).optional().describe('Only resources that pay this address.'),
  limit: z.int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
  cursor: z.string().max(512).optional().describe('Of the page before, with the same arguments.'),
})

const output = z.object({
  resources: z.array(shownResourceSchema).describe('Best first; empty when nothing fits.'),
  cursor: z.string().nullable().describe('For the next page; null: there is none.'),
  lowConfidence: z.boolean().describe('The best may not be what was asked for.'),
  partialResults: z.boolean().describe('A part of the ranking was left out; ask again later.'),
})

interface SearchOptions {
  readonly facts: Pick<Facts, 'search'>
  /** The network of every search that names none. */
  readonly network?: NetworkId | undefined
}

export const searchResources = ({ facts, network }: SearchOptions): Tool =>
  tool({
    name: 'search_resources',
    title: 'Search paid resources',
    description:
      'Finds HTTP APIs and MCP tools that can be paid for with x402 on Stellar, by what they do. Costs nothing. Then call inspect_resource with the id of the one you want.',
    input,
    output,
    call: async ({ limit, ...asked }, { signal, fenceId }) => {
      const words = { ...(network && { network }), ...asked, limit: String(limit) }
      const answer = await facts.search(withoutAbsent(words), signal)
      const page = readFacts(searchSchema, answer)
      const resources = page.resources
        .slice(0, limit)
        .map((each) => shownResource(each, { limits: SHORT, fenceId }))
      const result = {
        resources,
        cursor: page.pagination.cursor,
        lowConfidence: page.svc.lowConfidence ?? false,
        partialResults: page.partialResults,
      }
      const lines = resources.map((each) => `${resourceLine(each)}\n${each.sellerText}`)
      return {
        result,
        text: [headline(resources.length, result.lowConfidence), ...lines].join('\n'),
      }
    },
  })

const withoutAbsent = (words: Readonly<Record<string, string | undefined>>): SearchQuery =>
  Object.fromEntries(
    Object.entries(words).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

const headline = (count: number, lowConfidence: boolean): string =>
  count === 0
    ? 'No resource fits. Use fewer or other words, or a higher maxPrice.'
    : `${count} resources, best first${lowConfidence ? '; none may be what was asked for' : ''}:`
