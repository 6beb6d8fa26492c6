import { createHash } from 'node:crypto'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { verifyBytes } from './ed25519.ts'
import { type AnySigner, signatureFor } from './envelope-signer.ts'
import { publicKeyOf } from './strkey.ts'

/** SEP-53: no transaction begins with it, so a signature of a message is never one of a transaction. */
const PREFIX = 'Stellar Signed Message:\n'

const hashOf = (text: string): Uint8Array =>
  createHash('sha256')
    .update(PREFIX + text, 'utf8')
    .digest()

/** Signs a text that announces an account, as SEP-53 says; the signature in base64. Throws `SignerError`. */
export async function signAnnouncement(
  signer: AnySigner,
  network: NetworkId,
  message: string,
): Promise<string> {
  const hash = hashOf(message)
  const request = { kind: 'message', network, purpose: 'announcement', message, hash } as const
  return Buffer.from(await signatureFor(signer, request)).toString('base64')
}

/** Whether the key of the account (`G...`) has signed the text. */
export const hasSignedMessage = (address: string, text: string, signature: string): boolean =>
  verifyBytes(hashOf(text), publicKeyOf(address), Buffer.from(signature, 'base64'))
