/**
 * The x402 version 2 objects that reach a facilitator. Schemas are loose: members a newer
 * client sends are kept, and `null` on an optional member reads as absent. What must hold for
 * a payment is not here but in the checks, so that a well-formed request always gets a verdict.
 */
import { z } from 'zod'
import type {
  settleResponseSchema,
  supportedResponseSchema,
  verifyResponseSchema,
} from './answer-schemas.ts'

import { PAYMENT_IDENTIFIER, paymentIdentifierOf } from './payment-identifier.ts'

export { X402_VERSION } from './answer-schemas.ts'

const absentWhenNull = <T>(value: T | null | undefined): T | undefined => value ?? undefined
const optional = <S extends z.ZodType>(schema: S) =>
  schema.nullish().transform(absentWhenNull).optional()
const record = z.record(z.string(), z.unknown())

/**
 * A payment passes this to the catalog: any JSON. No payment depends on it. `null` reads as absent, as in all members
 * that are optional: a request has one fingerprint however its client spells that.
 */
const opaque = (description: string, read = (value: unknown): unknown => value) =>
  z
    .unknown()
    .transform((value) => read(absentWhenNull(value)))
    .optional()
    .meta({ description })

const optionalOfResource = ['description', 'mimeType', 'serviceName', 'tags', 'iconUrl']

const withoutNulls = (resource: unknown): unknown =>
  kindOf(resource) === 'object'
    ? Object.fromEntries(
        Object.entries(Object(resource)).filter(
          ([name, value]) => value !== null || !optionalOfResource.includes(name),
        ),
      )
    : resource

const paymentRequirementsSchema = z.looseObject({
  scheme: z.string().min(1),
  /** CAIP-2. */
  network: z.string().min(1),
  /** Strkey of the token contract. */
  asset: optional(z.string()),
  payTo: optional(z.string()),
  /** Base units, decimal. */
  amount: optional(z.string()),
  maxTimeoutSeconds: optional(z.number()),
  extra: optional(record),
})
export type PaymentRequirements = z.output<typeof paymentRequirementsSchema>

const paymentPayloadSchema = z.looseObject({
  x402Version: z.number(),
  resource: opaque('What is paid for: `url`, and what describes it.', withoutNulls),
  /** The entry of the seller's `accepts` that the client chose, as the client echoes it. */
  accepted: paymentRequirementsSchema,
  /** The payload of the scheme; for `exact` on Stellar `{ transaction: base64 envelope }`. */
  payload: record,
  extensions: opaque('Values by extension key.'),
})

/** The body of `/verify` and of `/settle`. */
export const paymentRequestSchema = z.looseObject({
  x402Version: z.number(),
  paymentPayload: paymentPayloadSchema,
  paymentRequirements: paymentRequirementsSchema,
})
export type PaymentRequest = z.output<typeof paymentRequestSchema>

export type ParsedRequest =
  | { readonly ok: true; readonly request: PaymentRequest }
  /** One sentence that names the members in the wrong shape. */
  | { readonly ok: false; readonly problem: string }

/** No payment is nested deeper; without a bound a small body could exhaust the stack of recursive code. */
const MAX_LEVELS = 64

/** Further ones are only counted: an answer must not be many times as long as its request. */
const MAX_PROBLEMS = 10

/** The members of a request, in the order of the problems. */
const outline = {
  x402Version: 'number',
  paymentPayload: 'object',
  paymentRequirements: 'object',
} as const satisfies Record<keyof PaymentRequest, string>

/**
 * Reads a parsed JSON body. The answer to a body that is not a payment request is an HTTP 400. The
 * outline is checked first, which refuses a body without a payment at a tenth of the cost.
 */
export function readPaymentRequest(body: unknown): ParsedRequest {
  const missing = problemsOfOutline(body)
  if (missing.length > 0) return { ok: false, problem: missing.join('; ') }
  // The parser is that of zod's core: the error of the other `safeParse` captures a stack trace.
  const parsed = z.core.safeParse(paymentRequestSchema, body)
  if (!parsed.success) return { ok: false, problem: sentenceOf(parsed.error.issues) }
  if (!fitsInto(MAX_LEVELS, body)) {
    return { ok: false, problem: `body: nested more than ${MAX_LEVELS} levels deep` }
  }
  const { data: request } = parsed
  const problem = identifierProblem(request.paymentPayload.extensions)
  return problem === undefined ? { ok: true, request } : { ok: false, problem }
}

/** A buyer who gives an id relies on it, so one that is no id is not ignored. */
const identifierProblem = (extensions: unknown): string | undefined =>
  paymentIdentifierOf(extensions).kind === 'malformed'
    ? `paymentPayload.extensions.${PAYMENT_IDENTIFIER}.info.id: Invalid input: expected 16 to 128 letters, digits, hyphens and underscores`
    : undefined

/** The problems of a malformed request, with the schema's own messages. */
function problemsOfOutline(body: unknown): string[] {
  const given = kindOf(body)
  if (given !== 'object') return [unexpected('body', 'object', given)]
  const problems: string[] = []
  for (const [name, expected] of Object.entries(outline)) {
    const kind = kindOf(Reflect.get(Object(body), name))
    if (kind !== expected) problems.push(unexpected(name, expected, kind))
  }
  return problems
}

const unexpected = (name: string, expected: string, kind: string): string =>
  `${name}: Invalid input: expected ${expected}, received ${kind}`

/** The JSON type, or `undefined`. */
function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function sentenceOf(issues: readonly z.core.$ZodIssue[]): string {
  const problems = issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'body'}: ${message}`)
  const more = issues.length - problems.length
  return [...problems, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

const fitsInto = (levels: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => fitsInto(levels - 1, member)))

export type SupportedResponse = z.output<typeof supportedResponseSchema>
export type VerifyResponse = z.output<typeof verifyResponseSchema>
export type SettleResponse = z.output<typeof settleResponseSchema>
