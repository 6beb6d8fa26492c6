import type { NetworkId } from '../../platform/core/caip2.ts'
import { Outage } from '../../platform/core/errors/outage.ts'
import type { Signer } from './signer.ts'

/** Why a signature is asked for. A key service may hold other rules for each of them. */
const signingPurposes = ['settlement', 'channels', 'rotation', 'contract', 'announcement'] as const
export type SigningPurpose = (typeof signingPurposes)[number]

/** One thing to sign, with the network that its hash is bound to. */
export type SigningRequest = {
  readonly network: NetworkId
  readonly purpose: SigningPurpose
  /** The 32 bytes that the key signs: of a transaction its hash, of a message the SHA-256 that SEP-53 describes. */
  readonly hash: Uint8Array
} & (
  | {
      readonly kind: 'transaction'
      /** Base64 XDR `TransactionEnvelope`, complete but for the signature that is asked for. */
      readonly envelopeXdr: string
    }
  | { readonly kind: 'message'; readonly message: string }
)

/** Signs for one account whose key may lie outside this process. */
export interface EnvelopeSigner {
  /** `G...` */
  readonly address: string
  /** The raw 32 bytes of the account's key. */
  readonly publicKey: Uint8Array
  /** Signatures of 64 bytes, in the order of the requests. Throws `SignerError`. */
  signAll(requests: readonly SigningRequest[]): Promise<readonly Uint8Array[]>
}

/** A key of this process, or one that lies elsewhere. */
export type AnySigner = Signer | EnvelopeSigner

/** The signature of one request, 64 bytes. Throws `SignerError` where the key lies elsewhere. */
export async function signatureFor(
  signer: AnySigner,
  request: SigningRequest,
): Promise<Uint8Array> {
  if (!('signAll' in signer)) return signer.sign(request.hash)
  const [signature] = await signer.signAll([request])
  if (!signature) throw new SignerError('invalid', 'The signer gave no signature.')
  return signature
}

/**
 * `unreachable`: no answer, or none in time. `denied`: it accepts none of our credentials. `no_key`: it has no such key, or another one.
 * `invalid`: it answered what is no signature of the request. `refused`: its rules forbid this request.
 */
export type SignerProblem = 'unreachable' | 'denied' | 'no_key' | 'invalid' | 'refused'

/** Why there is no signature. The message is a sentence without secrets. */
export class SignerError extends Outage {
  override readonly name = 'SignerError'
  readonly publicReason = "the signer of the sponsor's account does not answer as it should"
  readonly problem: SignerProblem

  constructor(problem: SignerProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}
