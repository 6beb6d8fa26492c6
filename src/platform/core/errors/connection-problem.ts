/**
 * Why a request of `fetch` got no answer, in words for a person. None of it proves that no byte was sent: a connection can
 * fail in any of these ways after it has carried the request, for instance when the server renegotiates TLS.
 */
export interface ConnectionProblem {
  readonly kind: 'untrusted' | 'unreachable' | 'interrupted'
  /** Continues a sentence that starts with the address. */
  readonly says: string
}

/** The advice about a certificate that Node does not trust. */
export const TRUST_HINT =
  'If you trust it, start the command with NODE_EXTRA_CA_CERTS=FILE, where FILE holds the PEM of its ' +
  'certificate authority. svc localnet --tls and svc demo print the file of the embedded network.'

const untrusted =
  /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA)/

/** Each continues a sentence that starts with the address. */
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: nothing listens there',
  ENOTFOUND: 'has a host name that does not exist',
  EAI_AGAIN: 'has a host name that cannot be looked up now',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ETIMEDOUT: 'does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'does not answer',
  EPROTO: 'does not answer with TLS; it may serve plain http',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not answer with TLS; it may serve plain http',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'does not answer with TLS; it may serve plain http',
}

export function connectionProblem(error: unknown): ConnectionProblem {
  const causes = causesOf(error)
  const codes = causes.flatMap((cause) => ('code' in cause ? [String(cause.code)] : []))
  const certificate = codes.find((code) => untrusted.test(code))
  if (certificate !== undefined) {
    const says = `shows a certificate that Node does not trust (${certificate})`
    return { kind: 'untrusted', says }
  }
  const known = codes.find((code) => Object.hasOwn(unreachable, code))
  if (known !== undefined) {
    return { kind: 'unreachable', says: `${unreachable[known]} (${known})` }
  }
  if (causes.some(({ message }) => message === 'bad port')) {
    return { kind: 'unreachable', says: 'has a port that fetch refuses to use' }
  }
  const detail = codes[0] ?? causes.at(-1)?.message ?? String(error)
  return { kind: 'interrupted', says: `did not complete its answer (${detail})` }
}

/** The error, its causes, and the errors of each attempt at an address of the host. */
function causesOf(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return []
  const attempts = error instanceof AggregateError ? error.errors.flatMap(causesOf) : []
  return [error, ...attempts, ...causesOf(error.cause)]
}
