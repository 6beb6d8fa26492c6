import { z } from 'zod'
import type { NamedSchema } from '../../platform/http/refusals/refusal.ts'
import {
  bazaarSchema,
  catalogItem,
  itemMembers,
  itemParts,
  paymentOptionSchema,
  trustSchema,
} from './item-schema.ts'

const time = z.iso.datetime()
const version = z.literal(2)
const state = z.enum(['pending', 'published', 'quarantined'])

const listSchema = z.strictObject({
  x402Version: version,
  items: z.array(catalogItem.schema).readonly().describe('First published first.'),
  pagination: z.strictObject({
    limit: z.int(),
    offset: z.int(),
    total: z.int().describe('On all pages.'),
    asOf: time.describe('Pass it back, so that listings that arrive meanwhile move no page.'),
  }),
})
export type ListAnswer = z.output<typeof listSchema>

const outcomeSchema = z.strictObject({
  phase: z.enum(['verify', 'settle', 'origin']),
  status: z.enum(['success', 'processing', 'rejected']),
  code: z.string(),
  reason: z.string().exactOptional(),
  at: time,
})

export const singleSchema = z
  .strictObject({
    ...itemMembers,
    state: state.describe('The list and search have published listings only.'),
    lastOutcome: outcomeSchema.describe('Of the last settlement or check of its origin.'),
    nextCheckAt: time.nullable().describe('When its origin is asked next; null: no check is due.'),
  })
  .describe('An item with exactly one listing, in any state.')
export type SingleAnswer = z.output<typeof singleSchema>

const contentSchema = z.strictObject({
  resource: z.string(),
  kind: z.enum(['http', 'mcp']),
  method: z.string().exactOptional(),
  toolName: z.string().exactOptional(),
  description: z.string().exactOptional(),
  mimeType: z.string().exactOptional(),
  serviceName: z.string().exactOptional(),
  tags: z.array(z.string()).readonly().exactOptional(),
  iconUrl: z.string().exactOptional(),
  extensions: z.array(z.string()).readonly(),
  bazaar: bazaarSchema,
  accepts: z.array(paymentOptionSchema).readonly(),
})

const versionsSchema = z.strictObject({
  x402Version: version,
  id: z.uuid(),
  versions: z
    .array(
      z.strictObject({
        version: z.int().min(1),
        createdAt: time,
        cause: z.enum([
          'settlement',
          'origin_verification',
          'ownership_transfer',
          'domain_verification',
          'quarantine',
        ]),
        transaction: z.string().describe('Of the payment that led to it.').exactOptional(),
        owner: z.string(),
        trust: trustSchema,
        state,
        content: contentSchema,
      }),
    )
    .readonly()
    .describe('Oldest first; at most the newest 1,000.'),
})
export type VersionsAnswer = z.output<typeof versionsSchema>

export const searchSchema = z.strictObject({
  x402Version: version,
  resources: z
    .array(catalogItem.schema)
    .readonly()
    .describe('Best first; empty when nothing fits.'),
  partialResults: z
    .boolean()
    .describe('Whether a part of the ranking was left out, since the embeddings endpoint failed.'),
  pagination: z.strictObject({
    limit: z.int(),
    cursor: z.string().nullable().describe('For the next page; null: there is none.'),
  }),
  svc: z.strictObject({
    method: z.enum(['hybrid', 'lexical', 'filter']),
    recognised: z
      .array(z.string())
      .readonly()
      .describe('What was read from the words of the query, as in `maxPrice=0.02 USD`.'),
    revision: z.int().describe('Of the catalog that was searched.'),
    lowConfidence: z
      .literal(true)
      .describe('The best resources may not be what was asked for.')
      .exactOptional(),
  }),
})
export type SearchPage = z.output<typeof searchSchema>

export const catalogList: NamedSchema = {
  name: 'CatalogList',
  schema: listSchema,
  parts: [catalogItem],
}
export const catalogListing: NamedSchema = {
  name: 'CatalogListing',
  schema: singleSchema,
  parts: itemParts,
}
export const listingVersions: NamedSchema = {
  name: 'ListingVersions',
  schema: versionsSchema,
  parts: itemParts,
}
export const catalogSearch: NamedSchema = {
  name: 'CatalogSearch',
  schema: searchSchema,
  parts: [catalogItem],
}
