/** Signatures of operation sources. */
import { xdr } from '@stellar/stellar-sdk'
import { type AccountId, unmuxed } from '../../ledger/account-id.ts'
import type { LedgerReader } from '../../ledger/entry-store.ts'
import { loadAccount } from '../../ledger/typed-entries.ts'
import type { Transaction } from '../envelope.ts'
import type { ThresholdLevel } from '../operation.ts'
import { masterKey, type SignatureChecker, signersOf } from './signature-checker.ts'

export const sourceOf = (operation: xdr.Operation, transaction: Transaction): AccountId =>
  operation.sourceAccount ? unmuxed(operation.sourceAccount) : transaction.source

export const muxedSourceOf = (
  operation: xdr.Operation,
  transaction: Transaction,
): xdr.MuxedAccount => operation.sourceAccount ?? transaction.xdr.sourceAccount

const thresholdIndex: Readonly<Record<ThresholdLevel, 1 | 2 | 3>> = { low: 1, medium: 2, high: 3 }

interface SignatureRequest {
  readonly operation: xdr.Operation
  readonly transaction: Transaction
  readonly threshold: ThresholdLevel
}

/** Undefined when the source signed with enough weight. A missing account signs with its master key. */
export function checkOperationSignature(
  reader: LedgerReader,
  signatures: SignatureChecker,
  { operation, transaction, threshold }: SignatureRequest,
): xdr.OperationResult | undefined {
  const id = sourceOf(operation, transaction)
  const account = loadAccount(reader, id)
  if (account) {
    const needed = account.thresholds[thresholdIndex[threshold]]
    return signatures.check(signersOf(account), needed)
      ? undefined
      : xdr.OperationResult.opBadAuth()
  }
  if (!operation.sourceAccount) return xdr.OperationResult.opNoAccount()
  return signatures.check([masterKey(id, 1)], 0) ? undefined : xdr.OperationResult.opBadAuth()
}
