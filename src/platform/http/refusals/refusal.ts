import { z } from 'zod'
import { type Fault, type FaultCode, faults } from '../../core/errors/faults.ts'

/** The parts of a fault that its caller sees. */
export type PublicFault = Pick<Fault, 'code' | 'message' | 'retryable' | 'details'>

/** A schema and its name among the components of the OpenAPI document. */
export interface NamedSchema {
  readonly name: string
  readonly schema: z.ZodType
  /** Schemas within it that are components too. */
  readonly parts?: readonly NamedSchema[]
}

/** The body of a route's refusals, and the schema that describes it. */
export interface RefusalFormat extends NamedSchema {
  /**
   * @param body the parsed request body, undefined when the refusal came before it was read
   * @param requestId undefined for bytes that were no request
   */
  readonly bodyOf: (fault: PublicFault, body: unknown, requestId?: string) => object
  /** Codes that it answers instead of others, of the same status. */
  readonly codes?: Readonly<Partial<Record<FaultCode, FaultCode>>>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    refusal?: RefusalFormat
    isProbe?: boolean
  }
}

export const faultCodes = Object.keys(faults) as readonly FaultCode[]

/** The member `error` of every HTTP error. */
export const errorMemberSchema = z.strictObject({
  code: z.enum(faultCodes),
  reason: z.string().min(1).describe('For people; never empty.'),
  retryable: z.boolean().describe('Whether the same request may succeed later.'),
  details: z.record(z.string(), z.unknown()).readonly().optional(),
})

export function errorMember(fault: PublicFault): z.output<typeof errorMemberSchema> {
  const { code, message: reason, retryable, details } = fault
  return details === undefined ? { code, reason, retryable } : { code, reason, retryable, details }
}

export const errorRefusal: RefusalFormat = {
  name: 'Error',
  schema: z.strictObject({ error: errorMemberSchema }),
  bodyOf: (fault) => ({ error: errorMember(fault) }),
}
