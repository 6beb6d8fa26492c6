import type { RpcError } from '../../../../stellar/rpc/rpc.ts'

interface Words {
  readonly says: string
  readonly todo: string
}

const UNREACHABLE: Words = {
  says: 'it cannot be reached',
  todo: 'see that the endpoint runs, and that no firewall and no network policy keeps the operator from it',
}
const NO_HOST: Words = {
  says: 'no DNS server knows its host',
  todo: 'correct the host in spec.rpc.urls',
}
const NO_DNS: Words = {
  says: 'DNS does not answer for its host',
  todo: 'see that the operator reaches its DNS server, and that the host in spec.rpc.urls is right',
}
const UNTRUSTED: Words = {
  says: 'its TLS certificate is not trusted',
  todo: 'name an endpoint in spec.rpc.urls whose certificate a public authority has signed',
}

/** By the code of the error in Node, its DNS and its TLS. */
const byCode: Readonly<Record<string, Words>> = {
  ENOTFOUND: NO_HOST,
  ENODATA: NO_HOST,
  EAI_AGAIN: NO_DNS,
  ESERVFAIL: NO_DNS,
  ETIMEOUT: NO_DNS,
  ECONNREFUSED: {
    says: 'nothing accepts connections there',
    todo: 'correct host and port in spec.rpc.urls, or start the endpoint',
  },
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  UND_ERR_CONNECT_TIMEOUT: UNREACHABLE,
  CERT_HAS_EXPIRED: {
    says: 'its TLS certificate has expired',
    todo: 'renew the certificate, or name another endpoint in spec.rpc.urls',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: 'its TLS certificate is for another host name',
    todo: 'write the name that is in the certificate into spec.rpc.urls',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
}

const OTHERWISE = 'see that the endpoints of spec.rpc.urls run, and serve Stellar RPC'

/**
 * Why the last endpoint that was tried did not answer, and what to do. Of the error below it only what is known to hold no part of a URL:
 * the message of `fetch` may quote a URL with a password.
 */
export function noEndpointAnswers(error: RpcError): string {
  const words = wordsOf(error)
  const why = words ? ` (${words.says})` : ''
  const who = error.message.replace(`${error.method}: `, '')
  return `No RPC endpoint answers: ${who}${why}: ${words?.todo ?? OTHERWISE}.`
}

function wordsOf(error: unknown): Words | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  return byCode[code] ?? answeredHttp(error.message) ?? wordsOf(error.cause)
}

/** A provider answers so when the path of the URL, or its key, is wrong. */
function answeredHttp(message: string): Words | undefined {
  const status = /the endpoint answered HTTP (\d{3})$/.exec(message)?.[1]
  if (status === undefined) return undefined
  const todo = /^40[134]$/.test(status)
    ? 'correct the path in spec.rpc.urls, and see whether the provider asks for a key'
    : 'see what the provider says about its service'
  return { says: `it answered HTTP ${status}`, todo }
}
