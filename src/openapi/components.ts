import { z } from 'zod'
import { healthSchema } from '../facilitator/health/schema.ts'
import { usageAnswerSchema } from '../facilitator/usage/schema.ts'
import {
  settleResponseSchema,
  supportedResponseSchema,
  verifyResponseSchema,
} from '../x402/answer-schemas.ts'
import { paymentRequestSchema } from '../x402/protocol.ts'
import { readinessSchema } from './readiness-schema.ts'
import {
  errorMemberSchema,
  errorSchema,
  settleRefusalSchema,
  verifyRefusalSchema,
} from './refusal-schemas.ts'

/** Schemas by the name they have in the document: what is sent, as it comes in. */
const sent = { PaymentRequest: paymentRequestSchema }

/** And what is answered, as it goes out. */
const answered = {
  Supported: supportedResponseSchema,
  Verification: verifyResponseSchema,
  Settlement: settleResponseSchema,
  Usage: usageAnswerSchema,
  Health: healthSchema,
  Readiness: readinessSchema,
  ErrorMember: errorMemberSchema,
  Error: errorSchema,
  VerifyError: verifyRefusalSchema,
  SettleError: settleRefusalSchema,
} as const

export type ComponentName = keyof typeof sent | keyof typeof answered

export const refTo = (name: ComponentName) => ({ $ref: `#/components/schemas/${name}` })

/** `components.schemas`, made from the schemas that the routes use. */
export function componentSchemas(): Record<string, object> {
  return { ...jsonSchemas(sent, 'input'), ...jsonSchemas(answered, 'output') }
}

function jsonSchemas(
  schemas: Readonly<Record<string, z.ZodType>>,
  io: 'input' | 'output',
): Record<string, object> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const made = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    // Says of our code that it changes no answer, which is nothing to a caller.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly
    },
  })
  return Object.fromEntries(Object.entries(made.schemas).map(([id, schema]) => [id, bare(schema)]))
}

/** The document says once which dialect it speaks, and where its schemas are. */
const bare = ({ $schema, $id, ...schema }: z.core.JSONSchema.BaseSchema): object => schema
