import { describe, expect, test } from 'vitest'
import { noEndpointAnswers } from '../../../../../../src/kubernetes/operator/channel-pool/connect/unreachable-rpc.ts'
import { RpcError } from '../../../../../../src/stellar/rpc/rpc.ts'
import { toRpcError } from '../../../../../../src/stellar/rpc/transport/transport-errors.ts'

/** As the pool of endpoints wraps what `fetch` threw. */
function unreachable(fetched: unknown): string {
  const cause = toRpcError('getNetwork', fetched)
  const message = 'rpc.example did not say which network it serves'
  return noEndpointAnswers(new RpcError('transport', 'getNetwork', message, { cause }))
}

const failed = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })

describe('N10: an RPC endpoint that does not answer', () => {
  test.each([
    ['ENOTFOUND', 'no DNS server knows its host', 'correct the host in spec.rpc.urls'],
    ['ECONNREFUSED', 'nothing accepts connections there', 'correct host and port in spec.rpc.urls'],
    ['UND_ERR_CONNECT_TIMEOUT', 'it cannot be reached', 'no network policy keeps'],
    ['CERT_HAS_EXPIRED', 'its TLS certificate has expired', 'renew the certificate'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'its TLS certificate is not trusted', 'a public authority'],
  ])('is said to be so for the cause %s, with what to do', (code, says, todo) => {
    const message = unreachable(failed(code))

    expect(message).toContain(
      `No RPC endpoint answers: rpc.example did not say which network it serves (${says}): `,
    )
    expect(message).toContain(todo)
  })

  test('that answers with an HTTP status names it', () => {
    const cause = new Error('the endpoint answered HTTP 401')

    expect(unreachable(cause)).toContain(
      '(it answered HTTP 401): correct the path in spec.rpc.urls',
    )
  })

  test('keeps a password in the URL to itself', () => {
    const message = unreachable(new TypeError('URL includes credentials: https://user:secret@a'))

    expect(message).not.toContain('secret@')
    expect(message).toContain('see that the endpoints of spec.rpc.urls run')
  })
})
