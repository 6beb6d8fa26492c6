import type { SignerOwner } from '../../store/explorer/signers.ts'
import type { Confidence } from '../../store/explorer/tables.ts'

export interface Attribution {
  readonly confidence: Confidence
  /** Null: nobody known. */
  readonly facilitator: string | null
}

/**
 * Who submitted a payment: the facilitator that has the transaction's source among its signers, else the one that has
 * the source of the fee. A facilitator has signers only after a good answer of its own, so every other one is verified.
 *
 * @param signers see `findSigners`; of both addresses
 */
export function attributionOf(
  { txSource, feeSource }: { readonly txSource: string; readonly feeSource?: string },
  signers: ReadonlyMap<string, SignerOwner>,
): Attribution {
  const owner =
    signers.get(txSource) ?? (feeSource === undefined ? undefined : signers.get(feeSource))
  if (!owner) return { confidence: 'x402-shaped', facilitator: null }
  const confidence = owner.source === 'own' ? 'svc' : 'verified-facilitator'
  return { confidence, facilitator: owner.facilitator }
}
