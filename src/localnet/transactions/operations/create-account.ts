import { Asset, xdr } from '@stellar/stellar-sdk'
import { newAccount } from '../../ledger/account.ts'
import { accountIdOf, muxedAccountOf } from '../../ledger/account-id.ts'
import { availableBalance } from '../../ledger/reserves.ts'
import { accountExists, requireAccount, storeAccount } from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  createEntryWithPossibleSponsorship,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  reserveFailure,
  succeeded,
} from '../operation.ts'

const { createAccount: result } = xdr.OperationResultTr
const outcomes = xdr.CreateAccountResult

/** The starting balance may be zero when a sponsor pays the reserve (CAP-33). */
export function createAccount(operation: xdr.CreateAccountOp): OperationFrame {
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
  const { ltx, ledger, source } = context
  const id = accountIdOf(destination)
  if (accountExists(ltx, id)) return failed(result(outcomes.createAccountAlreadyExist()))

  const created = newAccount({
    id,
    balance: startingBalance,
    sequence: BigInt(ledger.sequence) << 32n,
  })
  const charged = createEntryWithPossibleSponsorship(
    context,
    { reserves: 2, subEntry: false },
    created,
  )
  if (charged.problem) {
    return reserveFailure(charged.problem, () => result(outcomes.createAccountLowReserve()))
  }
  created.sponsor = charged.sponsor

  const payer = requireAccount(ltx, source)
  if (availableBalance(payer) < startingBalance) {
    return failed(result(outcomes.createAccountUnderfunded()))
  }
  payer.balance -= startingBalance
  storeAccount(ltx, payer, ledger.sequence)
  storeAccount(ltx, created, ledger.sequence)
  context.emit(
    context.events.transfer({
      asset: Asset.native(),
      from: context.muxedSource,
      to: muxedAccountOf(id),
      amount: startingBalance,
      memo: context.transaction.xdr.memo,
    }),
  )
  return succeeded(result(outcomes.createAccountSuccess()))
}
