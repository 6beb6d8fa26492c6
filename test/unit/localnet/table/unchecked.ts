/** Envelopes put together from XDR, for what the SDK refuses to build; signed like any other. */
import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { muxedAccountOf } from '../../../../src/localnet/ledger/account-id.ts'
import { sha256 } from '../../../../src/localnet/ledger/header.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import { account, idOf, type Op } from '../harness.ts'
import { alice } from './people.ts'
import type { Envelope } from './row.ts'

interface Unchecked {
  readonly operations: readonly Op[]
  readonly source?: Keypair
  readonly signers?: readonly Keypair[]
  readonly fee?: number
  /** @default the next */
  readonly sequence?: bigint
  readonly conditions?: xdr.Preconditions
  readonly ext?: xdr.TransactionExt
}

export function unchecked(net: Localnet, parts: Unchecked): Envelope {
  const { operations, source = alice, signers = [source] } = parts
  const tx = new xdr.Transaction({
    sourceAccount: muxedAccountOf(idOf(source)),
    fee: parts.fee ?? 100 * operations.length,
    seqNum: parts.sequence ?? (account(net, source)?.sequence ?? 0n) + 1n,
    cond: parts.conditions ?? xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [...operations],
    ext: parts.ext ?? xdr.TransactionExt.v0(),
  })
  const signed = new xdr.TransactionV1Envelope({
    tx,
    signatures: signers.map((signer) => signer.signDecorated(payloadHash(net, tx))),
  })
  return { toEnvelope: () => xdr.TransactionEnvelope.envelopeTypeTx(signed) }
}

const ENVELOPE_TYPE_TX = Uint8Array.of(0, 0, 0, 2)

const payloadHash = (net: Localnet, tx: xdr.Transaction): Uint8Array =>
  sha256(net.networkId, ENVELOPE_TYPE_TX, tx.toXdr())

/** The envelope from before protocol 13; what is signed is the same. */
export function asVersion0(envelope: Envelope): Envelope {
  const present = envelope.toEnvelope()
  if (present.type !== 'envelopeTypeTx') throw new TypeError(present.type)
  const { tx, signatures } = present.v1
  const old = new xdr.TransactionV0({
    sourceAccountEd25519: alice.rawPublicKey(),
    fee: tx.fee,
    seqNum: tx.seqNum,
    timeBounds: null,
    memo: tx.memo,
    operations: tx.operations,
    ext: xdr.TransactionV0Ext.v0(),
  })
  const signed = new xdr.TransactionV0Envelope({ tx: old, signatures })
  return { toEnvelope: () => xdr.TransactionEnvelope.envelopeTypeTxV0(signed) }
}

interface LowBid {
  readonly inner: Envelope
  readonly payer: Keypair
  readonly fee: bigint
}

/** A fee bump with any fee at all. */
export function bumpAtAnyFee(net: Localnet, { inner, payer, fee }: LowBid): Envelope {
  const envelope = inner.toEnvelope()
  if (envelope.type !== 'envelopeTypeTx') throw new TypeError(envelope.type)
  const tx = new xdr.FeeBumpTransaction({
    feeSource: muxedAccountOf(idOf(payer)),
    fee,
    innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(envelope.v1),
    ext: xdr.FeeBumpTransactionExt.v0(),
  })
  const hash = sha256(net.networkId, Uint8Array.of(0, 0, 0, 5), tx.toXdr())
  const signed = new xdr.FeeBumpTransactionEnvelope({
    tx,
    signatures: [payer.signDecorated(hash)],
  })
  return { toEnvelope: () => xdr.TransactionEnvelope.envelopeTypeTxFeeBump(signed) }
}

/** What a Soroban transaction would declare that needs nothing. */
export function noResources(): xdr.TransactionExt {
  return xdr.TransactionExt.sorobanData(
    new xdr.SorobanTransactionData({
      ext: xdr.SorobanTransactionDataExt.v0(),
      resources: new xdr.SorobanResources({
        footprint: new xdr.LedgerFootprint({ readOnly: [], readWrite: [] }),
        instructions: 0,
        diskReadBytes: 0,
        writeBytes: 0,
      }),
      resourceFee: 0n,
    }),
  )
}
