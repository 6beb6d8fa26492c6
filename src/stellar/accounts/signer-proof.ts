import type { NetworkId } from '../../platform/core/caip2.ts'
import type { AnySigner } from './envelope-signer.ts'
import { hasSignedMessage, signAnnouncement } from './signed-message.ts'

/** An account says by its signature (SEP-53) that it signs for a facilitator. */
export interface SignerProof {
  readonly network: NetworkId
  /** `G...` */
  readonly signer: string
  /** ISO 8601. Until then the signature holds: not for one who takes over the address later. */
  readonly expiresAt: string
  /** Base64. */
  readonly signature: string
}

/** A proof that is valid for longer does not count: a facilitator renews its proofs often. */
const MAX_VALID_MS = 7 * 86_400_000

interface Statement extends Pick<SignerProof, 'network' | 'signer' | 'expiresAt'> {
  /** Base URL of the facilitator, without a trailing slash. */
  readonly baseUrl: string
}

/** The text to sign. It has every member, so that a proof cannot be used for another facilitator, network or account. */
const textOf = ({ baseUrl, network, signer, expiresAt }: Statement): string =>
  [
    'This account submits payments for an x402 facilitator.',
    `facilitator: ${baseUrl}`,
    `network: ${network}`,
    `signer: ${signer}`,
    `expires: ${expiresAt}`,
  ].join('\n')

/** Proves that an account signs for the facilitator at a base URL. Throws `SignerError`. */
export async function proveSigner(
  signer: AnySigner,
  statement: Omit<Statement, 'signer'>,
): Promise<SignerProof> {
  const { network, expiresAt } = statement
  const text = textOf({ ...statement, signer: signer.address })
  const signature = await signAnnouncement(signer, network, text)
  return { network, signer: signer.address, expiresAt, signature }
}

/** Whether the account has signed for the facilitator at the base URL, and the proof holds at `now` (Unix ms). */
export function isProven(proof: SignerProof, baseUrl: string, now: number): boolean {
  const validMs = Date.parse(proof.expiresAt) - now
  if (!(validMs > 0 && validMs <= MAX_VALID_MS)) return false
  return hasSignedMessage(proof.signer, textOf({ ...proof, baseUrl }), proof.signature)
}
