/** Envelopes made of XDR, for forms that the SDK refuses to build; signed like any other. */
import { type Keypair, SorobanDataBuilder, xdr } from '@stellar/stellar-sdk'
import { muxedAccountOf } from '../../../../src/localnet/ledger/account-id.ts'
import { sha256 } from '../../../../src/localnet/ledger/header.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import { account, type Envelope, idOf, type Op } from '../harness.ts'
import { alice } from './accounts.ts'
import { type Sending, sending } from './transaction.ts'

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
  sending(sent, async (net) => {
    const { tx, signatures } = version1(await sent.build(net))
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

/** Stroops that a transaction declares for its Soroban resources. */
export function declaredFee(envelope: Envelope): bigint {
  const any = envelope.toEnvelope()
  if (any.type === 'envelopeTypeTxV0') return 0n
  const { ext } = (any.type === 'envelopeTypeTx' ? any.v1 : any.feeBump.tx.innerTx.v1).tx
  return ext.type === 'sorobanData' ? ext.sorobanData.resourceFee : 0n
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

/** Preconditions of CAP-21. */
export const preconditions = (
  set: Partial<ConstructorParameters<typeof xdr.PreconditionsV2>[0]>,
): xdr.Preconditions =>
  xdr.Preconditions.precondV2(
    new xdr.PreconditionsV2({
      ...{ timeBounds: null, ledgerBounds: null, minSeqNum: null },
      ...{ minSeqAge: 0n, minSeqLedgerGap: 0, extraSigners: [] },
      ...set,
    }),
  )

/** Soroban resources with an empty footprint. */
export const resources = (instructions: number, resourceFee: bigint): xdr.SorobanTransactionData =>
  new SorobanDataBuilder().setResources(instructions, 0, 0).setResourceFee(resourceFee).build()

export const noResources: xdr.TransactionExt = xdr.TransactionExt.sorobanData(resources(0, 0n))
