import { z } from 'zod'
import { usageOperations, usageOutcomes } from '../store/usage/labels.ts'

/* The answer to `GET /usage`; interface, Authentication 7. */

const wholeNumber = z.string().regex(/^\d+$/)
const dollars = z.string().regex(/^\d+(\.\d{1,7})?$/)

const usageRowSchema = z.object({
  day: z.iso.date().describe('Day in UTC.'),
  network: z.string().describe('CAIP-2.'),
  operation: z.enum(usageOperations),
  outcome: z
    .enum(usageOutcomes)
    .describe('Of verify: valid, invalid; of settle: success, failure, pending, repeat.'),
  asset: z
    .string()
    .max(64)
    .describe('As the requirements name it, cut to 64 characters; empty when they name none.'),
  requests: z.int().positive(),
  settledAmount: wholeNumber.describe(
    'Base units moved by successful settlements; "0" for every other outcome.',
  ),
})

export const usageAnswerSchema = z.object({
  subject: z
    .string()
    .regex(/^key:[0-9a-f]{16}$/)
    .describe("The calling key: the first 16 hex digits of its SHA-256 digest, after 'key:'."),
  days: z.int().describe('Number of days in this answer, today included.'),
  serviceFee: z.object({
    perSettlementUsd: dollars.describe('Accrued by a successful settlement now, in US dollars.'),
    accruedUsd: dollars.describe(
      'Accrued by the successful settlements of these days, each at the fee of its time.',
    ),
  }),
  usage: z.array(usageRowSchema).describe('Newest day first.'),
})

export type UsageAnswer = z.output<typeof usageAnswerSchema>
