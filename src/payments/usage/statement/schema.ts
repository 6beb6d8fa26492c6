import { z } from 'zod'

/* The JSON answer to `GET /usage/statement`. */

const wholeNumber = z.string().regex(/^\d+$/)
const dollars = z.string().regex(/^\d+(\.\d{1,7})?$/)

const paymentMembers = {
  network: z.string().describe('CAIP-2.'),
  scheme: z.string(),
  asset: z.string().describe('The contract of the asset.'),
  amount: wholeNumber.describe('Base units of the asset.'),
  payer: z.string(),
  payTo: z.string(),
  transaction: z.string().regex(/^[0-9a-f]{64}$/),
}

const fees = {
  feeChargedStroops: wholeNumber.describe('Charged by the ledger, and paid by the sponsor.'),
  serviceFeeUsd: dollars.describe('Accrued for the key, in US dollars.'),
}

export const statementAnswerSchema = z.object({
  subject: z
    .string()
    .regex(/^key:[0-9a-f]{16}$/)
    .describe("The calling key: the first 16 hex digits of its SHA-256 digest, after 'key:'."),
  month: z.string().describe('In UTC.'),
  from: z.iso.datetime(),
  until: z.iso
    .datetime()
    .describe('Exclusive: the end of the month, or in the current month the time of this answer.'),
  settlements: z
    .array(
      z.object({
        time: z.iso.datetime().describe('When the service found it on the ledger.'),
        ...paymentMembers,
        ledger: z.int(),
        ...fees,
      }),
    )
    .describe('The payments that settled in the month, oldest first.'),
  pending: z
    .array(
      z.object({
        time: z.iso.datetime().describe('When the service recorded it to send it.'),
        ...paymentMembers,
      }),
    )
    .describe('Payments whose outcome is not known yet; in no total.'),
  totals: z
    .array(
      z.object({
        network: z.string(),
        asset: z.string(),
        settlements: z.int().positive(),
        amount: wholeNumber,
        ...fees,
      }),
    )
    .describe('Sums over the settlements of each asset.'),
  isFinal: z
    .boolean()
    .describe(
      'The month has been over for an hour and nothing is pending, so the statement will not change.',
    ),
})

export type StatementAnswer = z.output<typeof statementAnswerSchema>
