import { z } from 'zod'
import { type FaultCode, faults } from '../../platform/core/errors/faults.ts'
import {
  errorMember,
  faultCodes,
  type PublicFault,
  type RefusalFormat,
} from '../../platform/http/refusals/refusal.ts'

/** Codes of the explorer's own instead of those of every server. */
const codes = {
  not_found: 'explorer_not_found',
  internal_error: 'explorer_internal_error',
} as const satisfies Partial<Record<FaultCode, FaultCode>>

/** The analytics interface's body of every refusal: flat, with no member `error`. */
export const explorerRefusal: RefusalFormat = {
  name: 'ExplorerError',
  schema: z.strictObject({
    code: z.enum(faultCodes),
    reason: z.string().min(1).describe('For people; never empty.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('`parameter` and `value` of a bad parameter; `requestId` of an internal error.'),
  }),
  codes,
  bodyOf: (fault, _body, requestId) => errorMember(explorerFault(fault, requestId)),
}

function explorerFault(fault: PublicFault, requestId: string | undefined): PublicFault {
  if (fault.code === 'not_found') return { ...partsOf(fault), ...renamed('not_found') }
  if (fault.code !== 'internal_error') return fault
  return { ...partsOf(fault), ...renamed('internal_error'), details: { requestId } }
}

const partsOf = ({ code, message, retryable, details }: PublicFault): PublicFault => ({
  code,
  message,
  retryable,
  details,
})

function renamed(code: keyof typeof codes): Pick<PublicFault, 'code' | 'message' | 'retryable'> {
  const { help, retryable } = faults[codes[code]]
  return { code: codes[code], message: help, retryable }
}
