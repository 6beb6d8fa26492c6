import { Fault, type FaultCode } from '../../core/errors/faults.ts'
import { Outage } from '../../core/errors/outage.ts'

const codesOfFastify: Readonly<Record<string, { code: FaultCode; reason?: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'bad_request', reason: 'the body is not valid JSON' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'bad_request', reason: 'the body is empty' },
  FST_ERR_BAD_URL: { code: 'bad_request', reason: 'the path is not a valid URL path' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'bad_request',
    reason: 'the body is not as long as its Content-Length',
  },
}

/** A body that stopped half-way: the caller went away, nothing failed here. */
const wasCutOff = (error: Error): boolean => codeOf(error) === 'ECONNRESET' && 'statusCode' in error

/**
 * The one place where a thrown thing becomes a fault. Only what the web framework itself
 * found wrong with the request is the caller's; a foreign error that happens to carry a 4xx status is not.
 */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof Outage) {
    return new Fault('service_unavailable', { reason: thrown.publicReason, cause: thrown })
  }
  if (!(thrown instanceof Error)) return new Fault('internal_error', { cause: thrown })

  const known = codesOfFastify[codeOf(thrown)]
  if (known) {
    const { code, reason } = known
    return new Fault(code, reason === undefined ? { cause: thrown } : { reason, cause: thrown })
  }
  if (wasCutOff(thrown)) {
    return new Fault('bad_request', { reason: 'the body ended early', cause: thrown })
  }
  return new Fault('internal_error', { cause: thrown })
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
