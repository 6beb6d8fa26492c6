import { z } from 'zod'
import { LONG } from '../answers/seller-text.ts'
import { resourceLine, shownResource, shownResourceSchema } from '../answers/shown-resource.ts'
import { codeSchema, listingSchema } from '../answers/wire.ts'
import type { Facts } from '../facts/facts.ts'
import { readFacts } from '../facts/read-facts.ts'
import { type Tool, tool } from './tool.ts'
import { toolInput } from './tool-input.ts'

const input = toolInput({ id: z.uuid().describe('Of a listing, from search_resources.') })

const output = shownResourceSchema.extend({
  state: z
    .enum(['pending', 'published', 'quarantined'])
    .describe('Only a published one answered its last check as it should.'),
  lastOutcome: z
    .object({
      phase: z.enum(['verify', 'settle', 'origin']),
      status: z.enum(['success', 'processing', 'rejected']),
      code: codeSchema,
      at: z.iso.datetime(),
    })
    .describe('Of its last payment, or of the last check of its 402 response.'),
  nextCheckAt: z.iso.datetime().nullable(),
})

export const inspectResource = (facts: Pick<Facts, 'listing'>): Tool =>
  tool({
    name: 'inspect_resource',
    title: 'Inspect a paid resource',
    description:
      'Shows one resource: its prices, how far it is trusted, and, in sellerText, its URL, of a tool of an MCP server also call, which call_paid_tool takes as its url, the schema of its input and output, and examples. Costs nothing.',
    input,
    output,
    call: async ({ id }, { signal, fenceId }) => {
      const item = readFacts(listingSchema, await facts.listing(id, signal))
      const { state, nextCheckAt, lastOutcome, extensions } = item
      const { reason, ...outcome } = lastOutcome
      const shown = shownResource(
        item,
        { limits: LONG, fenceId },
        { bazaar: extensions.bazaar, lastReason: reason },
      )
      const result = { ...shown, state, lastOutcome: outcome, nextCheckAt }
      return { result, text: `${resourceLine(shown)}, ${state}\n${shown.sellerText}` }
    },
  })
