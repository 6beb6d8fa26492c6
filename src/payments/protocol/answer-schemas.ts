/** The answers of `/supported`, `/verify` and `/settle`, as they go over the wire. */
import { z } from 'zod'
import { reasonsWhere } from './reasons.ts'

export const X402_VERSION = 2

const supportedKindSchema = z
  .strictObject({
    x402Version: z.literal(X402_VERSION),
    scheme: z.string(),
    network: z.string().describe('CAIP-2 identifier.'),
    extra: z.record(z.string(), z.unknown()).readonly(),
  })
  .readonly()

export const supportedResponseSchema = z
  .strictObject({
    kinds: z.array(supportedKindSchema).readonly(),
    extensions: z.array(z.string()).readonly(),
    signers: z
      .record(z.string(), z.array(z.string()).readonly())
      .readonly()
      .describe(
        'CAIP-2 pattern to the addresses that sign there: the sponsor, then its channels, then those of other sponsors that share the database.',
      ),
  })
  .readonly()

const payer = z.string().describe('Strkey of the account that pays.')

/**
 * A reason code. The document lists those of this version; the type is any text, because the answer to a
 * repeat may be one that another version of the service has stored.
 */
const codeOf = (codes: readonly string[]) =>
  z
    .string()
    .min(1)
    .meta({ description: 'A stable code; the page of errors explains each.', enum: codes })

const codesOfVerify = reasonsWhere(({ answeredBy }) => answeredBy === undefined)
const codesOfSettle = reasonsWhere(({ answeredBy }) => answeredBy !== 'HTTP error')

const message = z.string().min(1).describe('For people; never empty.')

export const verifyResponseSchema = z.discriminatedUnion('isValid', [
  z.strictObject({ isValid: z.literal(true), payer }).readonly(),
  z
    .strictObject({
      isValid: z.literal(false),
      invalidReason: codeOf(codesOfVerify),
      invalidMessage: message,
      payer: payer.exactOptional(),
    })
    .readonly(),
])

const transactionHash = z.string().regex(/^[0-9a-f]{64}$/)

export const settleResponseSchema = z.discriminatedUnion('success', [
  z
    .strictObject({
      success: z.literal(true),
      transaction: transactionHash.describe('Hash of the fee-bump transaction.'),
      network: z.string(),
      payer,
      amount: z
        .string()
        .exactOptional()
        .describe(
          'Base units that were settled: present in `upto`, where it may be less than the ceiling.',
        ),
    })
    .readonly(),
  z
    .strictObject({
      success: z.literal(false),
      errorReason: codeOf(codesOfSettle),
      errorMessage: message,
      transaction: z
        .string()
        .regex(/^([0-9a-f]{64})?$/)
        .describe('Empty when nothing was sent.'),
      network: z.string().describe('As the request names it; may be empty.'),
      payer: payer.exactOptional(),
    })
    .readonly(),
])
