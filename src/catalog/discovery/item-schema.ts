import { z } from 'zod'
import type { NamedSchema } from '../../platform/http/refusals/refusal.ts'

/* The catalog's routes answer this of a resource, as it goes over the wire. */

const time = z.iso.datetime()
const uuid = z.uuid()

export const trustSchema = z
  .enum(['settled', 'origin_verified', 'domain_verified'])
  .describe(
    'settled: someone paid for it; origin_verified: its own 402 response names the owner; domain_verified: the stellar.toml of its host does, too.',
  )

const text = (of: string) => z.string().describe(of)

export const paymentOptionSchema = z
  .strictObject({
    scheme: z.string(),
    network: text('CAIP-2 identifier.'),
    asset: text('Contract of the asset.'),
    payTo: z.string(),
    amount: text('Base units of the asset; of the scheme `upto` the most that a call may cost.'),
    maxTimeoutSeconds: z.int(),
    extra: z.record(z.string(), z.unknown()).readonly().exactOptional(),
  })
  .readonly()
  .describe('A way to pay for a resource.')

export const bazaarSchema = z
  .strictObject({
    info: z.record(z.string(), z.unknown()).readonly(),
    schema: z.record(z.string(), z.unknown()).readonly(),
    routeTemplate: z.string().exactOptional(),
  })
  .readonly()
  .describe('How the resource is called; `schema` is the JSON Schema 2020-12 of `info`.')

const stellarSchema = z
  .strictObject({
    checkedAt: time.describe('When the oldest of these facts was read.'),
    domain: z
      .strictObject({
        host: z.string(),
        claimsOwner: z.boolean().describe("Whether the host's stellar.toml names the owner."),
      })
      .readonly()
      .exactOptional(),
  })
  .readonly()

const listingSchema = z
  .strictObject({
    id: uuid,
    network: text('CAIP-2 identifier.'),
    version: z.int().min(1),
    trust: trustSchema,
    owner: text('The address that is paid.'),
    settlements: z.int().min(0).describe('How many payments for it this facilitator has settled.'),
    firstCataloged: time,
    lastSettled: time,
    stellar: stellarSchema.exactOptional(),
  })
  .readonly()
  .describe('A resource on one network.')

const optionSchema = z
  .strictObject({
    listing: uuid,
    symbol: z.string().exactOptional(),
    name: z.string().exactOptional(),
    decimals: z.int().min(0).exactOptional(),
    receivable: z
      .boolean()
      .describe('Whether payTo could receive the asset when the ledger was read last.')
      .exactOptional(),
  })
  .readonly()
  .describe('What the ledger says of a way to pay.')

/** The members that every item has; a single listing has more. */
export const itemMembers = {
  resource: text('URL, or URL with a route template.'),
  type: z.enum(['http', 'mcp']),
  x402Version: z.literal(2),
  accepts: z.array(paymentOptionSchema).readonly(),
  lastUpdated: time.describe('When anything but a count changed last.'),
  extensions: z
    .object({ bazaar: bazaarSchema })
    .catchall(z.strictObject({}))
    .readonly()
    .describe('By key; of extensions other than `bazaar`, only that the resource declares them.'),
  svc: z
    .strictObject({
      trust: trustSchema.describe('The highest of the listings.'),
      settlements: z.int().min(0).describe('The sum over the listings.'),
      listings: z.array(listingSchema).min(1).readonly(),
      options: z
        .array(optionSchema)
        .readonly()
        .describe('What the ledger says of the entry of `accepts` in the same place.'),
      method: z.string().exactOptional(),
      toolName: z.string().exactOptional(),
    })
    .readonly(),
  description: z.string().exactOptional(),
  mimeType: z.string().exactOptional(),
  serviceName: z.string().exactOptional(),
  tags: z.array(z.string()).readonly().exactOptional(),
  iconUrl: z.string().exactOptional(),
} as const

const itemSchema = z
  .strictObject(itemMembers)
  .readonly()
  .describe('A paid resource, with its listings on all networks.')

export type CatalogItem = z.output<typeof itemSchema>

/** The named schemas that items, listings and versions consist of. */
export const itemParts: readonly NamedSchema[] = [
  { name: 'Trust', schema: trustSchema },
  { name: 'PaymentOption', schema: paymentOptionSchema },
  { name: 'Bazaar', schema: bazaarSchema },
  { name: 'Listing', schema: listingSchema },
  { name: 'OptionFacts', schema: optionSchema },
]

export const catalogItem: NamedSchema & { readonly schema: typeof itemSchema } = {
  name: 'CatalogItem',
  schema: itemSchema,
  parts: itemParts,
}
