import type { SignerProblem } from '../../stellar/accounts/envelope-signer.ts'

/** The codes that need a name in a message. PKCS#11 v2.40, section 5.3, and pkcs11t.h. */
const names: Readonly<Record<number, string>> = {
  5: 'CKR_GENERAL_ERROR',
  6: 'CKR_FUNCTION_FAILED',
  7: 'CKR_ARGUMENTS_BAD',
  10: 'CKR_CANT_LOCK',
  48: 'CKR_DEVICE_ERROR',
  49: 'CKR_DEVICE_MEMORY',
  50: 'CKR_DEVICE_REMOVED',
  84: 'CKR_FUNCTION_NOT_SUPPORTED',
  96: 'CKR_KEY_HANDLE_INVALID',
  99: 'CKR_KEY_TYPE_INCONSISTENT',
  104: 'CKR_KEY_FUNCTION_NOT_PERMITTED',
  112: 'CKR_MECHANISM_INVALID',
  130: 'CKR_OBJECT_HANDLE_INVALID',
  160: 'CKR_PIN_INCORRECT',
  161: 'CKR_PIN_INVALID',
  162: 'CKR_PIN_LEN_RANGE',
  163: 'CKR_PIN_EXPIRED',
  164: 'CKR_PIN_LOCKED',
  177: 'CKR_SESSION_COUNT',
  179: 'CKR_SESSION_HANDLE_INVALID',
  224: 'CKR_TOKEN_NOT_PRESENT',
  225: 'CKR_TOKEN_NOT_RECOGNIZED',
  257: 'CKR_USER_NOT_LOGGED_IN',
  258: 'CKR_USER_PIN_NOT_INITIALIZED',
}

/** What a person has to do about these; the other codes mean that the token or its session does not work now. */
const meanings: Readonly<Record<string, readonly [SignerProblem, string]>> = {
  CKR_PIN_INCORRECT: ['denied', 'the token refused the PIN'],
  CKR_PIN_INVALID: ['denied', 'the token refused the PIN'],
  CKR_PIN_LEN_RANGE: ['denied', 'the token refused the PIN'],
  CKR_PIN_EXPIRED: ['denied', 'the PIN has expired'],
  CKR_PIN_LOCKED: ['denied', 'the token has locked its PIN'],
  CKR_USER_PIN_NOT_INITIALIZED: ['denied', 'the token has no PIN yet'],
  CKR_KEY_TYPE_INCONSISTENT: ['no_key', 'the key does not sign with EdDSA'],
  CKR_KEY_FUNCTION_NOT_PERMITTED: ['no_key', 'the key may not sign (CKA_SIGN)'],
  CKR_MECHANISM_INVALID: ['no_key', 'the token does not sign with EdDSA'],
  CKR_TOKEN_NOT_PRESENT: ['unreachable', 'the token is not present'],
  CKR_DEVICE_REMOVED: ['unreachable', 'the token has been removed'],
}

export const CKR_OK = 0
export const CKR_USER_ALREADY_LOGGED_IN = 0x100

/** Each attempt with such a PIN brings the token nearer to its lock. */
const wrongPin: readonly number[] = [0xa0, 0xa1, 0xa2]

/** `CKR_...`, or the number of a code that is not in the table, as hexadecimal digits. */
const nameOf = (code: number): string => names[code] ?? `0x${code.toString(16)}`

export const isWrongPin = (code: number): boolean => wrongPin.includes(code)

export interface Meaning {
  readonly problem: SignerProblem
  readonly message: string
}

/** What a code other than CKR_OK of a function, such as `C_Sign`, means. */
export function meaningOf(code: number, calledFunction: string): Meaning {
  const name = nameOf(code)
  const [problem, sentence] = meanings[name] ?? ['unreachable', 'the PKCS#11 library failed']
  return { problem, message: `${sentence}: ${calledFunction} returned ${name}` }
}
