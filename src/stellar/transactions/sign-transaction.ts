/** Signs transactions with keys of this process and with keys that lie elsewhere. */
import { xdr } from '@stellar/stellar-sdk'
import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import { type NetworkId, passphrases } from '../../platform/core/caip2.ts'
import { type AnySigner, type SigningPurpose, signatureFor } from '../accounts/envelope-signer.ts'
import { decorated, feeBumpHash, toHex, transactionHash } from '../accounts/signing.ts'

export interface SignedEnvelope {
  /** Base64 XDR. */
  readonly envelopeXdr: string
  /** 64 hex digits. */
  readonly hash: string
  readonly totalFee: Stroops
  readonly maxTime: bigint
}

/** What a signature is asked for with. */
export interface SigningContext {
  readonly network: NetworkId
  readonly purpose: SigningPurpose
}

export interface SignedTransaction {
  readonly signed: xdr.TransactionV1Envelope
  readonly hash: Uint8Array
}

/**
 * Signs with each account once, in this order. A signature that no operation needs makes the network refuse the transaction. A key that
 * lies elsewhere sees the envelope with the signatures of this process. Throws `SignerError`.
 */
export async function signTransaction(
  tx: xdr.Transaction,
  context: SigningContext,
  signers: readonly AnySigner[],
): Promise<SignedTransaction> {
  const hash = transactionHash(tx, passphrases[context.network])
  const distinct = [...new Map(signers.map((signer) => [signer.address, signer])).values()]
  const local = distinct.flatMap((signer) =>
    'signAll' in signer ? [] : [decorated(signer, signer.sign(hash))],
  )
  const envelopeXdr = envelopeOf(new xdr.TransactionV1Envelope({ tx, signatures: local }))
  const request = { ...context, kind: 'transaction', hash, envelopeXdr } as const
  const signatures = await Promise.all(
    distinct.map(async (signer) => decorated(signer, await signatureFor(signer, request))),
  )
  return { signed: new xdr.TransactionV1Envelope({ tx, signatures }), hash }
}

/** The envelope of a transaction that pays for itself, base64 XDR. */
export const envelopeOf = (signed: xdr.TransactionV1Envelope): string =>
  xdr.TransactionEnvelope.envelopeTypeTx(signed).toXdr('base64')

/** Pays for a signed transaction with another account (CAP-15). Throws `SignerError`. */
export async function signFeeBump(
  { signed }: Pick<SignedTransaction, 'signed'>,
  context: SigningContext,
  { payer, fee }: { readonly payer: AnySigner; readonly fee: Stroops },
): Promise<{ readonly envelope: xdr.TransactionEnvelope; readonly hash: string }> {
  const tx = new xdr.FeeBumpTransaction({
    feeSource: xdr.MuxedAccount.keyTypeEd25519(payer.publicKey),
    fee: asStroops(fee),
    innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(signed),
    ext: xdr.FeeBumpTransactionExt.v0(),
  })
  const hash = feeBumpHash(tx, passphrases[context.network])
  const signature = await signatureFor(payer, {
    ...context,
    kind: 'transaction',
    hash,
    envelopeXdr: bumpEnvelope(tx, []).toXdr('base64'),
  })
  return { envelope: bumpEnvelope(tx, [decorated(payer, signature)]), hash: toHex(hash) }
}

const bumpEnvelope = (tx: xdr.FeeBumpTransaction, signatures: xdr.DecoratedSignature[]) =>
  xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
    new xdr.FeeBumpTransactionEnvelope({ tx, signatures }),
  )
