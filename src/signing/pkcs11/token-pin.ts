import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'

/** CKF_ flags of a token's PIN. PKCS#11 v2.40, table 6. */
const USER_PIN_FINAL_TRY = 0x20000
const USER_PIN_LOCKED = 0x40000

/** The token refused a PIN. Its digest tells whether the file has another one by now. */
export class PinRefused extends SignerError {
  readonly digest: string

  constructor(digest: string, message: string) {
    super('denied', message)
    this.digest = digest
  }
}

export const digestOf = (pin: Uint8Array): string => createHash('sha256').update(pin).digest('hex')

/** The PIN in a file, without the line end that editors add. Throws SignerError, for a PIN that was refused before too. */
export async function readPin(file: string, refused: string | undefined): Promise<Buffer> {
  const content = await readFile(file).catch((error: unknown) => {
    throw new SignerError('denied', `cannot read the PIN file: ${messageOf(error)}`)
  })
  const pin = content.subarray(0, lengthOfLine(content))
  if (pin.length === 0) throw new SignerError('denied', 'the PIN file is empty')
  if (digestOf(pin) === refused) {
    const message = 'the token has refused this PIN; it is tried again once the PIN file changes'
    throw new PinRefused(refused, message)
  }
  return pin
}

function lengthOfLine(content: Buffer): number {
  const lineEnd = /\r?\n$/.exec(content.toString('latin1'))
  return lineEnd ? lineEnd.index : content.length
}

/**
 * Throws SignerError for a token that is locked, or would be after one more wrong PIN. Restarts and replicas each try a wrong PIN once, so
 * the last attempt is left to a person: a correct PIN sets the count back.
 */
export function checkPinFlags(flags: number): void {
  if ((flags & USER_PIN_LOCKED) !== 0) {
    throw new SignerError('denied', 'the token has locked its PIN')
  }
  if ((flags & USER_PIN_FINAL_TRY) !== 0) {
    const message =
      'one more wrong PIN would lock the token: log in once by hand with the right PIN'
    throw new SignerError('denied', message)
  }
}
