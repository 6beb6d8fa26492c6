/** Envelopes made of XDR, for forms that the SDK refuses to build; signed like any other. */
import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { muxedAccountOf } from '../../../../src/localnet/ledger/account-id.ts'
import { sha256 } from '../../../../src/localnet/ledger/header.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import { account, idOf, type Op } from '../harness.ts'
import { alice } from './accounts.ts'
import { type Envelope, type Sending, sending } from './transaction.ts'

interface RawTx {
  readonly operations: readonly Op[]
  readonly source?: Keypair
  /** Stroops bid in all. @default the base fee for each operation */
  readonly bid?: number
  /** @default the next */
  readonly sequence?: (net: Localnet) => bigint
  readonly conditions?: (net: Localnet) => xdr.Preconditions
  readonly ext?: xdr.TransactionExt
}

export const rawTx = (parts: RawTx): Sending => sending(parts, (net) => rawEnvelope(net, parts))

function rawEnvelope(net: Localnet, parts: RawTx): Envelope {
  const { operations, source = alice } = parts
  const tx = new xdr.Transaction({
    sourceAccount: muxedAccountOf(idOf(source)),
    fee: parts.bid ?? 100 * operations.length,
    seqNum: parts.sequence?.(net) ?? (account(net, source)?.sequence ?? 0n) + 1n,
    cond: parts.conditions?.(net) ?? xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [...operations],
    ext: parts.ext ?? xdr.TransactionExt.v0(),
  })
  const hash = sha256(net.networkId, ENVELOPE_TYPE_TX, tx.toXdr())
  const signed = new xdr.TransactionV1Envelope({ tx, signatures: [source.signDecorated(hash)] })
  return { toEnvelope: () => xdr.TransactionEnvelope.envelopeTypeTx(signed) }
}

const ENVELOPE_TYPE_TX = Uint8Array.of(0, 0, 0, 2)
const ENVELOPE_TYPE_TX_FEE_BUMP = Uint8Array.of(0, 0, 0, 5)

/** The envelope from before protocol 13, of alice; the signed bytes are the same. */
export const version0 = (sent: Sending): Sending =>
  sending(sent, (net) => {
    const { tx, signatures } = version1(sent.build(net))
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
  })

function version1(envelope: Envelope): xdr.TransactionV1Envelope {
  const any = envelope.toEnvelope()
  if (any.type !== 'envelopeTypeTx') throw new TypeError(any.type)
  return any.v1
}

interface Bid {
  readonly payer: Keypair
  /** Stroops in all: any number, where the SDK insists on enough. */
  readonly bid: bigint
}

export function rawFeeBump(net: Localnet, inner: Envelope, { payer, bid }: Bid): Envelope {
  const tx = new xdr.FeeBumpTransaction({
    feeSource: muxedAccountOf(idOf(payer)),
    fee: bid,
    innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(version1(inner)),
    ext: xdr.FeeBumpTransactionExt.v0(),
  })
  const hash = sha256(net.networkId, ENVELOPE_TYPE_TX_FEE_BUMP, tx.toXdr())
  const signatures = [payer.signDecorated(hash)]
  const signed = new xdr.FeeBumpTransactionEnvelope({ tx, signatures })
  return { toEnvelope: () => xdr.TransactionEnvelope.envelopeTypeTxFeeBump(signed) }
}

/** The resources of a Soroban transaction that needs none. */
export const noResources: xdr.TransactionExt = xdr.TransactionExt.sorobanData(
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
