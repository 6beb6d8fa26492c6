/** Results, meta and events of applied transactions, decoded for the rules. */
import { Address, scValToNative, xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../../src/localnet/closing/history.ts'
import { type AccountId, unmuxed } from '../../../../src/localnet/ledger/account-id.ts'
import type { Op } from '../harness.ts'

export interface ReadEnvelope {
  readonly transaction: xdr.Transaction
  readonly source: AccountId
  readonly feeSource: AccountId
}

export function envelopeOf({ envelopeXdr }: AppliedTransaction): ReadEnvelope {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr)
  if (envelope.type === 'envelopeTypeTxV0') throw new TypeError('a version 0 envelope')
  const outer = envelope.type === 'envelopeTypeTxFeeBump' ? envelope.feeBump.tx : undefined
  const transaction = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx : outer?.innerTx.v1.tx
  if (!transaction) throw new TypeError(envelope.type)
  const source = unmuxed(transaction.sourceAccount)
  return { transaction, source, feeSource: outer ? unmuxed(outer.feeSource) : source }
}

export const sourceOf = (operation: Op, { source }: ReadEnvelope): AccountId =>
  operation.sourceAccount ? unmuxed(operation.sourceAccount) : source

/** The result code of the transaction; of the inner one in a fee bump. */
export function codeOf({ resultXdr }: AppliedTransaction): string {
  const { result } = xdr.TransactionResult.fromXdr(resultXdr)
  return result.type === 'txFeeBumpInnerSuccess' || result.type === 'txFeeBumpInnerFailed'
    ? result.innerResultPair.result.result.type
    : result.type
}

/** Stroops: the fee charged before the ledger applies, and the refund after. */
export function feesOf({ transactionEvents }: AppliedTransaction): {
  charged: bigint
  refund: bigint
} {
  const amounts = transactionEvents.map((bytes) => {
    const { event } = xdr.TransactionEvent.fromXdr(bytes)
    return readEvent(event).amount
  })
  const [charged = 0n, refund = 0n] = amounts
  return { charged, refund: -refund }
}

export interface TokenEvent {
  /** C address. */
  readonly asset: string
  readonly name: string
  /** G or C addresses. */
  readonly parties: readonly string[]
  readonly amount: bigint
}

function readEvent({ contractId, body }: xdr.ContractEvent): TokenEvent {
  const { topics, data } = body.v0
  const [name, ...others] = topics.map((topic) => scValToNative(topic))
  const value = scValToNative(data)
  return {
    asset: contractId ? Address.contract(contractId.value).toString() : '',
    name,
    parties: others.slice(0, -1),
    amount: BigInt(typeof value === 'object' && value !== null ? (value.amount ?? 0n) : value),
  }
}

export const contractEventsOf = ({ contractEvents }: AppliedTransaction): TokenEvent[] =>
  contractEvents.flat().map((bytes) => readEvent(xdr.ContractEvent.fromXdr(bytes)))
