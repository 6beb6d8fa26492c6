import { expect, test } from 'vitest'
import { isWrongPin, meaningOf } from '../../../../src/signing/pkcs11/return-codes.ts'

test.each([
  [0xa0, 'denied', 'the token refused the PIN: C_X returned CKR_PIN_INCORRECT'],
  [0xa4, 'denied', 'the token has locked its PIN: C_X returned CKR_PIN_LOCKED'],
  [0xe0, 'unreachable', 'the token is not present: C_X returned CKR_TOKEN_NOT_PRESENT'],
  [0x32, 'unreachable', 'the token has been removed: C_X returned CKR_DEVICE_REMOVED'],
  [0x68, 'no_key', 'the key may not sign (CKA_SIGN): C_X returned CKR_KEY_FUNCTION_NOT_PERMITTED'],
  [0xb3, 'unreachable', 'the PKCS#11 library failed: C_X returned CKR_SESSION_HANDLE_INVALID'],
  [0x06, 'unreachable', 'the PKCS#11 library failed: C_X returned CKR_FUNCTION_FAILED'],
  [0x8000_0abc, 'unreachable', 'the PKCS#11 library failed: C_X returned 0x80000abc'],
])('code %i means %s: %s', (code, problem, message) => {
  expect(meaningOf(code, 'C_X')).toEqual({ problem, message })
})

test('a PIN is wrong only by the codes that count an attempt', () => {
  const codes = Array.from({ length: 0x200 }, (_, code) => code)
  expect(codes.filter(isWrongPin)).toEqual([0xa0, 0xa1, 0xa2])
})
