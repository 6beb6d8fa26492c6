/**
 * Schemas of the answers of the analytics interface: the routes answer with them, OpenAPI shows them, and the pages
 * render them. Names and meanings follow the interface; members marked as additions are ours.
 */

import { z } from 'zod'
import { ofEachScheme, schemeNames } from '../payments/protocol/schemes.ts'
import { networkIds } from '../platform/core/caip2.ts'
import type { NamedSchema } from '../platform/http/refusals/refusal.ts'
import { confidences, windows } from './store/tables.ts'

const network = z.enum(networkIds)
const amount = z.string().regex(/^\d+$/).describe('Base units of the asset')
const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .describe('The amount as a decimal')
const time = z.iso.datetime()
const count = z.int().min(0)

const facilitatorNameSchema = z.strictObject({
  id: z.string(),
  displayName: z.string(),
})

export const paymentRecordSchema = z.strictObject({
  network,
  epoch: z.string().describe('Names the history of the network from one reset to the next'),
  ledger: z.int(),
  txHash: z.string().regex(/^[0-9a-f]{64}$/),
  scheme: z.enum(schemeNames),
  buyer: z.string(),
  seller: z.string().describe('The payTo address'),
  amount: amount.describe('What was paid, in base units of the asset; with `upto` it may be 0'),
  amountDecimal: decimal,
  assetContract: z.string(),
  txSource: z.string(),
  facilitator: facilitatorNameSchema.nullable(),
  confidence: z.enum(confidences),
  closedAt: time,
  ceiling: amount
    .optional()
    .describe('Of the scheme `upto`: what the buyer signed at most, in base units of the asset'),
  ceilingDecimal: decimal.optional().describe('The ceiling as a decimal'),
  asset: z.string().optional().describe('code:issuer'),
  assetCode: z.string().optional(),
  feeSource: z.string().optional(),
  feeChargedStroops: z.string().optional(),
  sigExpirationLedger: z.int().optional(),
  memo: z.string().optional(),
  muxedId: z.string().optional(),
  serviceName: z.string().optional(),
  resource: z
    .string()
    .optional()
    .describe(
      "The seller's listing, in this service's catalog, for which this service settled the payment: its template, if it has one",
    ),
  resourceCandidates: z
    .array(z.string())
    .optional()
    .describe('Without `resource`: what a catalog lists for the seller; at most 10'),
})
export type PaymentRecord = z.output<typeof paymentRecordSchema>

const assetTotalSchema = z.strictObject({
  assetContract: z.string(),
  count,
  total: amount,
  totalDecimal: decimal.optional(),
  asset: z.string().optional(),
  assetCode: z.string().optional(),
})
export type AssetTotal = z.output<typeof assetTotalSchema>

const byConfidenceSchema = z.strictObject({
  svc: count,
  'verified-facilitator': count,
  'x402-shaped': count,
})

/** Payments of the last 24 hours, 7 days and 30 days. */
const byWindowSchema = z.strictObject({ '24h': count, '7d': count, '30d': count })

const aggregateSchema = z.strictObject({
  totalPayments: count,
  uniqueBuyers: count,
  uniqueSellers: count,
  byScheme: z.strictObject(ofEachScheme(() => count)),
  byConfidence: byConfidenceSchema,
  byAsset: z.array(assetTotalSchema).describe('Largest count first; at most 100'),
  firstPaymentAt: time.optional().describe('The earliest observed; no claim about the network'),
  lastPaymentAt: time.optional(),
})
export type AggregateBlock = z.output<typeof aggregateSchema>

const sellerVolumeSchema = z.strictObject({
  assetContract: z.string(),
  asset: z.string().optional(),
  assetCode: z.string().optional(),
  total: amount,
  totalDecimal: decimal,
})

const sellerEntrySchema = z.strictObject({
  payTo: z.string(),
  network,
  registered: z.boolean(),
  payments: count,
  uniqueBuyers: count,
  volume: z.array(sellerVolumeSchema).describe('Largest first'),
  firstSeenAt: time.optional(),
  lastSeenAt: time.optional(),
  serviceName: z.string().optional(),
  resource: z.string().optional(),
  description: z.string().optional(),
  resourceCount: count.optional(),
})
export type SellerEntry = z.output<typeof sellerEntrySchema>

export const sellersSchema = z.strictObject({
  items: z.array(sellerEntrySchema),
  pagination: z.strictObject({ total: count, limit: count, offset: count }),
  window: z.enum(windows).optional(),
})
export type Sellers = z.output<typeof sellersSchema>

export const feedSchema = z.strictObject({
  items: z.array(paymentRecordSchema).describe('Newest first'),
  nextCursor: z.string().optional(),
})
export type Feed = z.output<typeof feedSchema>

/** Wash-awareness: our additions to a seller's answer. */
const sellerConductSchema = z.strictObject({
  selfPayments: count.describe('Payments whose buyer is the seller'),
  topBuyer: z
    .strictObject({ buyer: z.string(), payments: count, share: z.number() })
    .optional()
    .describe('The buyer with most payments on a network, and its share of all of the seller'),
})

export const sellerSchema = z.strictObject({
  payTo: z.string(),
  stats: aggregateSchema,
  payments: z.array(paymentRecordSchema).describe('The newest 25'),
  conduct: sellerConductSchema,
  serviceName: z.string().optional(),
  resource: z.string().optional(),
  description: z.string().optional(),
  resources: z
    .array(
      z.strictObject({
        network,
        method: z.string(),
        resource: z.string(),
        serviceName: z.string().optional(),
      }),
    )
    .optional(),
  nextCursor: z.string().optional(),
})
export type Seller = z.output<typeof sellerSchema>

export const ingestEntrySchema = z.strictObject({
  network,
  consecutiveFailures: count,
  epoch: z.string().optional(),
  lastLedger: count.optional(),
  lastClosedAt: time.optional().describe('When the last ledger closed'),
  headLedger: count.optional().describe('The latest ledger of the network at the last poll'),
  lastPollAt: time.optional(),
  lastError: z.string().optional(),
  backfill: z.string().describe('`done` or `running (target ledger N)`'),
  gaps: z
    .array(z.strictObject({ fromLedger: count, throughLedger: count }))
    .describe('Ledgers that no endpoint retained any more when their turn came; the newest 20'),
})
export type IngestEntry = z.output<typeof ingestEntrySchema>

export const statsSchema = aggregateSchema.extend({
  networks: z.array(network),
  ingest: z.array(ingestEntrySchema),
  window: z.enum(windows).optional(),
})
export type Stats = z.output<typeof statsSchema>

const ecosystemWindowSchema = z.strictObject({
  payments: count,
  uniqueBuyers: count,
  uniqueSellers: count,
  newBuyers: count,
  newSellers: count,
  volume: z.array(assetTotalSchema),
})

export const facilitatorShareSchema = z.strictObject({
  facilitatorId: z
    .string()
    .nullable()
    .describe('null: payments that no known facilitator submitted'),
  payments: count,
  share: z.number().describe('Of all payments, rounded to 4 decimals'),
  windows: byWindowSchema,
  displayName: z.string().optional(),
  verified: z
    .boolean()
    .describe(
      'Whether payments of its signers are attributed to it: it is this service, or configured and has answered, or a signer has signed for it and the proof has not ended.',
    ),
  lastPaymentAt: time.optional(),
})
export type FacilitatorShare = z.output<typeof facilitatorShareSchema>

const topSellerSchema = z.strictObject({
  network,
  payTo: z.string(),
  payments: count,
  uniqueBuyers: count,
  volume: z.array(assetTotalSchema),
  lastPaymentAt: time,
  serviceName: z.string().optional(),
})

export const ecosystemSchema = z.strictObject({
  generatedAt: time,
  networks: z.array(network),
  coverage: z.array(
    z.strictObject({
      network,
      watchedSacs: z.union([z.literal('all'), z.array(z.string())]),
    }),
  ),
  totals: aggregateSchema,
  windows: z.strictObject({
    '24h': ecosystemWindowSchema,
    '7d': ecosystemWindowSchema,
    '30d': ecosystemWindowSchema,
  }),
  facilitators: z.array(facilitatorShareSchema).describe('Largest share first'),
  topSellers: z.array(topSellerSchema).describe('At most 10, by payments of the last 30 days'),
})
export type Ecosystem = z.output<typeof ecosystemSchema>

export const timeseriesSchema = z.strictObject({
  bucket: z.enum(['hour', 'day']),
  points: z
    .array(
      z.strictObject({
        at: time.describe('Start of the bucket'),
        payments: count,
        byConfidence: byConfidenceSchema,
        volume: z
          .array(assetTotalSchema)
          .describe('Of the 100 assets with most payments in the bucket'),
      }),
    )
    .describe('Oldest first, without gaps; the last one is under way'),
})
export type Timeseries = z.output<typeof timeseriesSchema>

const signerSchema = z.strictObject({ network, address: z.string() })

export const facilitatorSchema = facilitatorShareSchema.extend({
  baseUrl: z.string().optional(),
  source: z.enum(['own', 'configured', 'announced']),
  networks: z.array(z.string()),
  signers: z.array(signerSchema).describe('At most 1,000'),
  claimedSigners: z
    .array(signerSchema)
    .describe(
      'Named, but without a proof that holds, or another facilitator has proven them earlier: their payments are not attributed to this one',
    ),
  uptoContracts: z.array(z.string()),
  lastSeenAt: time.optional(),
  lastError: z.string().optional(),
  createdAt: time,
})
export type FacilitatorRecord = z.output<typeof facilitatorSchema>

export const assetSchema = z.strictObject({
  network,
  assetContract: z.string(),
  asset: z.string().optional(),
  assetCode: z.string().optional(),
  decimals: z.int().optional(),
  stats: aggregateSchema.omit({ uniqueBuyers: true, uniqueSellers: true, byAsset: true }).extend({
    total: amount,
    totalDecimal: decimal,
    windows: byWindowSchema,
  }),
})
export type AssetRecord = z.output<typeof assetSchema>

/** Records that several answers have in common. */
export const recordParts: readonly NamedSchema[] = [
  { name: 'AssetTotal', schema: assetTotalSchema },
  { name: 'ByConfidence', schema: byConfidenceSchema },
  { name: 'ByWindow', schema: byWindowSchema },
  { name: 'Totals', schema: aggregateSchema },
  { name: 'SellerVolume', schema: sellerVolumeSchema },
  { name: 'SellerEntry', schema: sellerEntrySchema },
  { name: 'IngestEntry', schema: ingestEntrySchema },
  { name: 'ActivityWindow', schema: ecosystemWindowSchema },
  { name: 'FacilitatorShare', schema: facilitatorShareSchema },
]
