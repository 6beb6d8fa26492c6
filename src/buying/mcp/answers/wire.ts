import { z } from 'zod'
import { schemeNames } from '../../../payments/protocol/schemes.ts'
import { networkIds } from '../../../platform/core/caip2.ts'
import { listingAnswer, searchAnswer } from '../../listings/catalog-answers.ts'

/*
 * The members that the tools read of the facts. Everything that is shown outside of the fences has a closed pattern, so that it cannot
 * hold a sentence, whoever wrote it; members of type `unknown` are sellers' text. Where the schema of the catalog's item
 * is open, the pattern is here.
 */

export const networkSchema = z.enum(networkIds)
export const addressSchema = z.string().regex(/^[GC][A-Z2-7]{55}$/)
const payeeSchema = z.string().regex(/^([GC][A-Z2-7]{55}|M[A-Z2-7]{68})$/)
const contract = z.string().regex(/^C[A-Z2-7]{55}$/)
const amount = z.string().regex(/^\d{1,39}$/)
const decimal = z.string().regex(/^\d{1,39}(\.\d{1,18})?$/)
const time = z.iso.datetime()
const count = z.int().min(0)
/** An amount as an argument. Hosts and models write one as a number, too; what that cannot hold exactly is refused. */
export const decimalArgument = (text: z.ZodString) =>
  z
    .union([text, z.number().min(0)])
    .transform(String)
    .pipe(text)
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/)
export const codeSchema = z.string().regex(/^[a-z0-9_]{1,64}$/)
export const methodSchema = z.enum(['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH'])
const strangers = z.unknown().optional()

/** An entry of `accepts`; one of another network or scheme cannot be paid through this service. */
export const optionSchema = z.object({
  scheme: z.enum(schemeNames),
  network: networkSchema,
  asset: contract,
  payTo: payeeSchema,
  amount,
})

export const optionFactsSchema = z.object({
  symbol: strangers,
  name: strangers,
  decimals: z.int().min(0).max(38).optional(),
  receivable: z.boolean().optional(),
})

export const searchSchema = searchAnswer.refine(
  ({ pagination: { cursor } }) => cursor === null || /^[\w.~-]{0,512}$/.test(cursor),
  { path: ['pagination', 'cursor'] },
)

export const listingSchema = listingAnswer.refine(
  ({ lastOutcome: { code } }) => codeSchema.safeParse(code).success,
  { path: ['lastOutcome', 'code'] },
)

export const validationSchema = z.object({
  outcome: z.enum(['listable', 'refused']),
  checks: z.array(
    z.object({ name: codeSchema, ok: z.boolean(), code: codeSchema.optional(), reason: strangers }),
  ),
  listing: strangers,
})

export const paymentSchema = z.object({
  network: networkSchema,
  ledger: count,
  txHash: hashSchema,
  scheme: z.enum(schemeNames),
  buyer: payeeSchema,
  seller: payeeSchema,
  amount,
  amountDecimal: decimal,
  assetContract: contract,
  confidence: z.enum(['svc', 'verified-facilitator', 'x402-shaped']),
  closedAt: time,
  ceiling: amount.optional(),
  asset: strangers,
  facilitator: strangers,
  memo: strangers,
  serviceName: strangers,
  resource: strangers,
  resourceCandidates: strangers,
})
export type WirePayment = z.output<typeof paymentSchema>

export const sellerSchema = z.object({
  payTo: payeeSchema,
  stats: z.object({
    totalPayments: count,
    uniqueBuyers: count,
    byAsset: z.array(
      z.object({ assetContract: contract, count, total: amount, totalDecimal: decimal.optional() }),
    ),
    firstPaymentAt: time.optional(),
    lastPaymentAt: time.optional(),
  }),
  payments: z.array(paymentSchema),
  conduct: z.object({
    selfPayments: count,
    topBuyer: z
      .object({ buyer: payeeSchema, payments: count, share: z.number().min(0).max(1) })
      .optional(),
  }),
  serviceName: strangers,
  resource: strangers,
  description: strangers,
  resources: strangers,
})
