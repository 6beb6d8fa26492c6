/**
 * The transaction that settles a payment: the payer's call and authorization entries, unchanged, with a
 * channel as source account. The sponsor pays for it through a fee bump. Where an authority settles, the amount is
 * ours, and the authority is the source of the operation.
 */
import { xdr } from '@stellar/stellar-sdk'
import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import { type NetworkId, passphrases } from '../../platform/core/caip2.ts'
import type { AnySigner } from '../accounts/envelope-signer.ts'
import type { Signer } from '../accounts/signer.ts'
import { signatureOf, toHex, transactionHash } from '../accounts/signing.ts'
import { publicKeyOf } from '../accounts/strkey.ts'
import { assertOnlyAmountDiffers, type ReceivedCall } from '../authorization/authority-call.ts'
import { type SettlementAuthority, signAsAuthority } from '../authorization/authority-signature.ts'
import type { HostInvocation } from './client-envelope.ts'
import { declaredResources, type LedgerResources } from './ledger-resources.ts'
import { signFeeBump } from './sign-transaction.ts'

export interface SettlementTerms {
  readonly network: NetworkId
  /** The invocation as sent to the network. */
  readonly invocation: HostInvocation
  /** Present where an authority settles; without it the payer signed every byte of the invocation. */
  readonly authority?: (SettlementAuthority & ReceivedCall) | undefined
  readonly channel: Signer
  /** Pays all fees. */
  readonly sponsor: AnySigner
  /** Sequence number of this transaction: one more than the channel account's. */
  readonly sequence: bigint
  /** Base64 XDR `SorobanTransactionData`, from the simulation. */
  readonly transactionData: string
  /** Bid per operation to be included, without the resource fee. */
  readonly inclusionFee: Stroops
  /** Unix seconds after which the network refuses the transaction. */
  readonly maxTime: bigint
  /** The first ledger that cannot include the transaction. */
  readonly maxLedger: number
}

export interface SettlementEnvelope {
  /** Base64 XDR of the signed fee bump. */
  readonly envelopeXdr: string
  /** Hash of the fee bump, 64 hex digits. */
  readonly hash: string
  /** Hash of the inner transaction, 64 hex digits. */
  readonly innerHash: string
  readonly maxTime: bigint
  readonly maxLedger: number
  /** The most the sponsor can be charged. */
  readonly totalFee: Stroops
  readonly resources: LedgerResources
}

/** A fee bump counts as one operation beside the one inside it (CAP-15). */
const BID_OPERATIONS = 2n

/** The maximum fee of a settlement: the bid for both operations, and the resource fee once. */
export const settlementFee = (inclusionFee: Stroops, resourceFee: Stroops): Stroops =>
  asStroops(inclusionFee * BID_OPERATIONS + resourceFee)

/** The resource fee inside a base64 `SorobanTransactionData`. */
export const resourceFeeOf = (transactionData: string): Stroops =>
  asStroops(xdr.SorobanTransactionData.fromXdr(transactionData, 'base64').resourceFee)

/** Builds and signs. Throws when the fee exceeds a transaction's 32 bits, or the call would change, and `SignerError`. */
export async function buildSettlement(terms: SettlementTerms): Promise<SettlementEnvelope> {
  const { network, authority, channel, sponsor, maxTime, maxLedger } = terms
  const inner = innerTransaction(terms)
  assertUnchanged(inner, terms)
  const innerHash = transactionHash(inner, passphrases[network])
  const totalFee = settlementFee(terms.inclusionFee, resourceFeeOf(terms.transactionData))
  const signatures = [
    signatureOf(channel, innerHash),
    ...(authority ? [signAsAuthority(authority, inner, innerHash)] : []),
  ]
  const { envelope, hash } = await signFeeBump(
    { signed: new xdr.TransactionV1Envelope({ tx: inner, signatures }) },
    { network, purpose: 'settlement' },
    { payer: sponsor, fee: totalFee },
  )
  return {
    envelopeXdr: envelope.toXdr('base64'),
    hash,
    innerHash: toHex(innerHash),
    maxTime,
    maxLedger,
    totalFee,
    resources: declaredResources(envelope),
  }
}

/**
 * The same call as base64 XDR, for simulation. Its source is the all-zero account, which authorizes
 * nothing, so that the simulation checks the payer's authorization alone.
 *
 * @param operationSource `G...`: the account that authorizes what the entry of the source account says, as in the settlement
 */
export function simulationEnvelope(invocation: HostInvocation, operationSource?: string): string {
  const tx = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32)),
    fee: 100,
    seqNum: 0n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [
      operation(
        invocation,
        operationSource === undefined ? undefined : publicKeyOf(operationSource),
      ),
    ],
    ext: xdr.TransactionExt.v0(),
  })
  return xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({ tx, signatures: [] }),
  ).toXdr('base64')
}

function innerTransaction(terms: SettlementTerms): xdr.Transaction {
  const data = xdr.SorobanTransactionData.fromXdr(terms.transactionData, 'base64')
  return new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(terms.channel.publicKey),
    // The inclusion bid only, plus the resource fee: the fee bump states its own in full.
    fee: feeField(terms.inclusionFee + data.resourceFee),
    seqNum: terms.sequence,
    cond: bounds(terms),
    memo: xdr.Memo.memoNone(),
    operations: [operation(terms.invocation, terms.authority?.signer.publicKey)],
    ext: xdr.TransactionExt.sorobanData(data),
  })
}

/** The first ledger that cannot include the settlement of this envelope (base64); undefined without such a bound. */
export function maxLedgerOf(envelopeXdr: string): number | undefined {
  const cond = innerOf(envelopeXdr)?.cond
  // 0 is no bound (CAP-21).
  return (cond?.type === 'precondV2' && cond.v2.ledgerBounds?.maxLedger) || undefined
}

/** The resource fee that the settlement of this envelope (base64) declares; undefined for another transaction. */
export function resourceFeeOfEnvelope(envelopeXdr: string): Stroops | undefined {
  const ext = innerOf(envelopeXdr)?.ext
  return ext?.type === 'sorobanData' ? asStroops(ext.sorobanData.resourceFee) : undefined
}

function innerOf(envelopeXdr: string): xdr.Transaction | undefined {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64')
  return envelope.type === 'envelopeTypeTxFeeBump' ? envelope.feeBump.tx.innerTx.v1.tx : undefined
}

const bounds = ({ maxTime, maxLedger }: SettlementTerms): xdr.Preconditions =>
  xdr.Preconditions.precondV2(
    new xdr.PreconditionsV2({
      timeBounds: new xdr.TimeBounds({ minTime: 0n, maxTime }),
      ledgerBounds: new xdr.LedgerBounds({ minLedger: 0, maxLedger }),
      minSeqNum: null,
      minSeqAge: 0n,
      minSeqLedgerGap: 0,
      extraSigners: [],
    }),
  )

const operation = ({ functionXdr, auth }: HostInvocation, source?: Uint8Array): xdr.Operation =>
  new xdr.Operation({
    sourceAccount: source ? xdr.MuxedAccount.keyTypeEd25519(source) : null,
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({
        hostFunction: xdr.HostFunction.fromXdr(functionXdr),
        auth: auth.map((entry) => xdr.SorobanAuthorizationEntry.fromXdr(entry.xdr)),
      }),
    ),
  })

/** A transaction's fee has 32 bits; a fee bump's has 64. */
function feeField(fee: bigint): number {
  if (fee > 0xffff_ffffn) throw new RangeError(`a fee of ${fee} stroops fits no transaction`)
  return Number(fee)
}

/** Our keys sign, byte for byte, the one call that was checked, and that is the payer's but for an amount of ours. */
function assertUnchanged(
  { operations }: xdr.Transaction,
  { invocation: { functionXdr, auth }, authority }: SettlementTerms,
): void {
  const body = operations[0]?.body
  const built = body?.type === 'invokeHostFunction' ? body.invokeHostFunctionOp : undefined
  const before = [functionXdr, ...auth.map((entry) => entry.xdr)]
  const after = built ? [built.hostFunction.toXdr(), ...built.auth.map((e) => e.toXdr())] : []
  const same =
    operations.length === 1 &&
    before.length === after.length &&
    before.every((bytes, i) => Buffer.compare(bytes, after[i] ?? new Uint8Array()) === 0)
  if (!built || !same)
    throw new Error('the rebuilt operation differs from the one the payer signed')
  if (authority) assertOnlyAmountDiffers(built, authority)
}
