import { Asset, xdr } from '@stellar/stellar-sdk'
import { newAccount } from '../../ledger/account.ts'
import { accountIdOf } from '../../ledger/account-id.ts'
import { availableBalance } from '../../ledger/reserves.ts'
import { accountExists, requireAccount, storeAccount } from '../../ledger/typed-entries.ts'
import { asMuxed } from '../muxed.ts'
import {
  type ApplyContext,
  type BoundOperation,
  chargeEntry,
  failed,
  inner,
  type OperationOutcome,
  reserveFailure,
  succeeded,
} from '../operation.ts'

const { createAccount: result } = xdr.OperationResultTr
const outcomes = xdr.CreateAccountResult

/** A starting balance of zero is fine where a sponsor pays the reserve (CAP-33). */
export function createAccount(operation: xdr.CreateAccountOp): BoundOperation {
  const destination = accountIdOf(operation.destination)
  const { startingBalance } = operation
  return {
    threshold: 'medium',
    check: ({ source }) =>
      startingBalance < 0n || source === destination
        ? inner(result(outcomes.createAccountMalformed()))
        : undefined,
    apply: (context) => applyCreateAccount(context, operation),
  }
}

function applyCreateAccount(
  context: ApplyContext,
  { destination, startingBalance }: xdr.CreateAccountOp,
): OperationOutcome {
  const { overlay, ledger, source } = context
  const id = accountIdOf(destination)
  if (accountExists(overlay, id)) return failed(result(outcomes.createAccountAlreadyExist()))

  const created = newAccount({
    id,
    balance: startingBalance,
    sequence: BigInt(ledger.sequence) << 32n,
  })
  const charged = chargeEntry(context, { reserves: 2, subEntry: false }, created)
  if (charged.problem) {
    return reserveFailure(charged.problem, () => result(outcomes.createAccountLowReserve()))
  }
  created.sponsor = charged.sponsor

  const payer = requireAccount(overlay, source)
  if (availableBalance(payer) < startingBalance) {
    return failed(result(outcomes.createAccountUnderfunded()))
  }
  payer.balance -= startingBalance
  storeAccount(overlay, payer, ledger.sequence)
  storeAccount(overlay, created, ledger.sequence)
  context.emit(
    context.events.movement({
      asset: Asset.native(),
      from: context.muxedSource,
      to: asMuxed(id),
      amount: startingBalance,
      memo: context.transaction.xdr.memo,
    }),
  )
  return succeeded(result(outcomes.createAccountSuccess()))
}
