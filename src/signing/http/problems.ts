/** What goes wrong between this process and a key service, as a `SignerError`. */
import { AnswerTooLarge } from '../../platform/core/errors/read-answer.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'

/** The service does not accept our certificate: alerts of TLS, as OpenSSL names them. */
const REFUSED_CERTIFICATE =
  /^ERR_SSL_[\w/]*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_(UNKNOWN|EXPIRED|REVOKED)|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED|HANDSHAKE_FAILURE)$/

/** @param error what a request or the reading of its answer threw */
export function problemOfError(error: unknown): SignerError {
  if (error instanceof SignerError) return error
  if (error instanceof AnswerTooLarge || error instanceof SyntaxError) {
    return new SignerError('invalid', `the key service: ${messageOf(error)}`, { cause: error })
  }
  const code = codeOf(error)
  if (code && REFUSED_CERTIFICATE.test(code)) {
    return new SignerError('denied', `the key service refuses our certificate: ${code}`, {
      cause: error,
    })
  }
  const why = code ?? messageOf(error)
  return new SignerError('unreachable', `no answer from the key service: ${why}`, { cause: error })
}

/** @param status other than 200 */
export function problemOfStatus(status: number): SignerError {
  const message = `the key service answered with status ${status}`
  if (status === 401 || status === 403) return new SignerError('denied', message)
  // It is busy, or cannot sign now.
  if (status === 429 || status >= 500) return new SignerError('unreachable', message)
  return new SignerError('invalid', message)
}

/** The code of the error or of the one that caused it, such as ECONNREFUSED. */
function codeOf(error: unknown): string | undefined {
  for (let each = Object(error); each !== undefined; each = each.cause && Object(each.cause)) {
    if (typeof each.code === 'string') return each.code
  }
  return undefined
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'an unknown error'
