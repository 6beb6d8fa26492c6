/** Reads an envelope: its hash, who pays for it, and the transaction with the operations. */
import { createHash } from 'node:crypto'
import { StrKey, xdr } from '@stellar/stellar-sdk'
import { refuse } from './refusal.ts'

export interface ReadEnvelope {
  /** What the sponsor signs. */
  readonly hash: Uint8Array
  readonly isFeeBump: boolean
  /** The transaction with the operations: that inside a fee bump. */
  readonly tx: xdr.Transaction
  /** `G...` */
  readonly txSource: string
  /** The most that the sponsor is charged, in stroops: 0 where it is not the one who pays. */
  readonly fee: bigint
}

/** The sponsor is the one who pays for a fee bump, and never the source of what is in it. */
export function readEnvelope(base64: string, passphrase: string, sponsor: string): ReadEnvelope {
  const envelope = parse(base64)
  switch (envelope.type) {
    case 'envelopeTypeTx': {
      const { tx } = envelope.v1
      const txSource = accountOf(tx.sourceAccount)
      return {
        hash: hashOf(
          xdr.TransactionSignaturePayloadTaggedTransaction.envelopeTypeTx(tx),
          passphrase,
        ),
        isFeeBump: false,
        tx,
        txSource,
        fee: txSource === sponsor ? BigInt(tx.fee) : 0n,
      }
    }
    case 'envelopeTypeTxFeeBump': {
      const { tx: bump } = envelope.feeBump
      const { tx } = bump.innerTx.v1
      const payer = accountOf(bump.feeSource)
      if (payer !== sponsor) refuse('fee_source', `${payer} pays for the fee bump, not the sponsor`)
      const txSource = accountOf(tx.sourceAccount)
      if (txSource === sponsor) {
        refuse('inner_source', 'the sponsor is the source of the transaction in the fee bump')
      }
      const tagged = xdr.TransactionSignaturePayloadTaggedTransaction.envelopeTypeTxFeeBump(bump)
      return { hash: hashOf(tagged, passphrase), isFeeBump: true, tx, txSource, fee: bump.fee }
    }
    default:
      return refuse('envelope_type', `the envelope is ${envelope.type}`)
  }
}

/** `G...`. An id inside a muxed account has no use here, and hides which account is meant from who reads the log. */
export function accountOf(account: xdr.MuxedAccount): string {
  if (account.type !== 'keyTypeEd25519') refuse('muxed_account', 'an account is muxed')
  return StrKey.encodeEd25519PublicKey(account.ed25519.toBytes())
}

/** `G...` */
export const addressOf = ({ ed25519 }: xdr.PublicKey): string =>
  StrKey.encodeEd25519PublicKey(ed25519.toBytes())

/** An envelope that encodes to other bytes than those received is refused, whatever the parser accepts: what is signed is what was read. */
function parse(base64: string): xdr.TransactionEnvelope {
  let envelope: xdr.TransactionEnvelope
  let again: string
  try {
    envelope = xdr.TransactionEnvelope.fromXdr(base64, 'base64')
    again = envelope.toXdr('base64')
  } catch {
    // Also what is nested so deeply that the stack ends.
    return refuse('malformed', 'the envelope is not XDR of a transaction envelope')
  }
  if (again !== base64) refuse('malformed', 'the envelope is not canonical')
  return envelope
}

const sha256 = (bytes: Uint8Array | string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(bytes).digest())

const hashOf = (
  taggedTransaction: xdr.TransactionSignaturePayloadTaggedTransaction,
  passphrase: string,
): Uint8Array =>
  sha256(
    new xdr.TransactionSignaturePayload({
      networkId: sha256(passphrase),
      taggedTransaction,
    }).toXdr(),
  )
