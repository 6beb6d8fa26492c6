import { createHash } from 'node:crypto'
import { verifyBytes } from './ed25519.ts'
import type { Signer } from './signer.ts'
import { publicKeyOf } from './strkey.ts'

/** SEP-53: no transaction begins with it, so a signature of a message is never one of a transaction. */
const PREFIX = 'Stellar Signed Message:\n'

const hashOf = (text: string): Uint8Array =>
  createHash('sha256')
    .update(PREFIX + text, 'utf8')
    .digest()

/** Signs a text as SEP-53 says; the signature in base64. */
export const signMessage = (signer: Pick<Signer, 'sign'>, text: string): string =>
  Buffer.from(signer.sign(hashOf(text))).toString('base64')

/** Whether the key of the account (`G...`) has signed the text. */
export const hasSignedMessage = (address: string, text: string, signature: string): boolean =>
  verifyBytes(hashOf(text), publicKeyOf(address), Buffer.from(signature, 'base64'))
