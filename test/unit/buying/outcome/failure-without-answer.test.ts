import { describe, expect, test } from 'vitest'
import { failureWithoutAnswer } from '../../../../src/buying/outcome/unpaid-answer.ts'
import { RefusedUrl, SellerTooSlow } from '../../../../src/buying/seller/seller-http.ts'

const coded = (code: string) => Object.assign(new Error('no answer'), { code })
const url = 'https://api.example'

describe('a call without an answer', () => {
  test.each<[what: string, code: string, error: unknown]>([
    ['a refused connection', 'unreachable', coded('ECONNREFUSED')],
    ['a name that does not exist', 'unreachable', coded('ENOTFOUND')],
    ['a connection that takes too long', 'unreachable', coded('UND_ERR_CONNECT_TIMEOUT')],
    ['a port that is refused', 'unreachable', new TypeError('bad port')],
    ['a broken connection', 'unreachable', coded('ECONNRESET')],
    ['a certificate of its own', 'untrusted', coded('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['a certificate for another name', 'untrusted', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['an address that is not public', 'unsafe_address', new RefusedUrl('It is private.')],
    ['nothing in time', 'timed_out', new SellerTooSlow(500)],
    ['anything else', 'unreachable', 'thrown'],
  ])('for %s is certainly unpaid only before a payment was sent', (_, code, error) => {
    expect(failureWithoutAnswer(url, error, undefined)).toMatchObject({ code, paid: false })
    const sent = failureWithoutAnswer(url, error, 'GPAYER')
    expect(sent).toMatchObject({ code: 'outcome_unknown', paid: null, isSent: true })
    expect(`${sent.message} ${sent.hint}`).not.toMatch(/nothing was paid/i)
    expect(sent.hint).toContain('GPAYER')
  })
})
