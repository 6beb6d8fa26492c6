import { z } from 'zod'
import { schemeNames } from '../../../../payments/protocol/schemes.ts'
import { networkIds } from '../../../../platform/core/caip2.ts'
import { facilitatorIdSchema } from '../../../facilitator-id.ts'
import type { FeedFilters } from '../../../reads.ts'
import { confidences } from '../../../store/tables.ts'
import { PageRefusal, type PageRequest } from '../../page.ts'

/** Parameters of the feed's page, with what each must be. */
const rules = {
  network: { schema: z.enum(networkIds), rule: 'the id of a network' },
  asset: {
    schema: z.string().regex(/^C[A-Z2-7]{55}$/),
    rule: 'the address of an asset’s contract: C and 55 more characters',
  },
  scheme: { schema: z.enum(schemeNames), rule: schemeNames.join(' or ') },
  seller: {
    schema: z.string().regex(/^[GC][A-Z2-7]{55}$/),
    rule: 'an address: G or C and 55 more characters',
  },
  buyer: {
    schema: z.string().regex(/^[GC][A-Z2-7]{55}$/),
    rule: 'an address: G or C and 55 more characters',
  },
  facilitator: { schema: facilitatorIdSchema, rule: 'the id of a facilitator' },
  confidence: { schema: z.enum(confidences), rule: `one of ${confidences.join(', ')}` },
} as const satisfies Record<keyof FeedFilters, { schema: z.ZodType; rule: string }>

/** Reads the filters of a query. Throws `PageRefusal` for a value that no payment can have. */
export function readFilters(query: PageRequest['query']): FeedFilters {
  const present = Object.entries(rules).flatMap(([name, { schema, rule }]) => {
    const text = query[name]
    if (text === undefined) return []
    const read = schema.safeParse(text)
    if (!read.success) {
      throw new PageRefusal(
        400,
        'This filter cannot match',
        `The filter ${name} must be ${rule}. Correct it or remove it.`,
        name,
      )
    }
    return [[name, read.data]]
  })
  return Object.fromEntries(present) as FeedFilters
}
