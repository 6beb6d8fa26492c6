import { z } from 'zod'
import { fenced, LONG } from '../answers/seller-text.ts'
import { sellerTextSchema } from '../answers/shown-resource.ts'
import { codeSchema, methodSchema, validationSchema } from '../answers/wire.ts'
import type { Facts } from '../facts/facts.ts'
import { readFacts } from '../facts/read-facts.ts'
import { type Tool, tool } from './tool.ts'
import { toolInput } from './tool-input.ts'

const input = toolInput({
  url: z.string().min(1).max(2_048).describe('Of the resource, as a buyer calls it.'),
  method: methodSchema.optional().describe('GET when absent.'),
})

const output = z.object({
  outcome: z.enum(['listable', 'refused']),
  checks: z
    .array(z.object({ name: codeSchema, ok: z.boolean(), code: codeSchema.optional() }))
    .describe('In the order in which they ran; the first that failed is the last.'),
  sellerText: sellerTextSchema,
})

export const validateResource = (facts: Pick<Facts, 'validate'>): Tool =>
  tool({
    name: 'validate_resource',
    title: 'Check whether a resource can be sold',
    description:
      'Asks a URL for its 402 response and checks it as the catalog would: whether it could be paid and listed, and if not, which check failed with which code. Pays nothing, lists nothing. May take some seconds.',
    input,
    output,
    call: async ({ url, method }, { signal, fenceId, report }) => {
      report('asking the resource for its 402 response')
      const answer = await facts.validate({ url, ...(method && { method }) }, signal)
      const { outcome, checks, listing } = readFacts(validationSchema, answer)
      const reasons = checks.flatMap(({ name, reason }) =>
        reason === undefined ? [] : [{ check: name, reason }],
      )
      const sellerText = fenced({ reasons, listing }, LONG, fenceId)
      const shown = checks.map(({ name, ok, code }) => ({ name, ok, ...(code && { code }) }))
      const failed = shown.find(({ ok }) => !ok)
      const line = failed ? `Refused by the check ${failed.name}: ${failed.code}.` : 'Listable.'
      return { result: { outcome, checks: shown, sellerText }, text: `${line}\n${sellerText}` }
    },
  })
