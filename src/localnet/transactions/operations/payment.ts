import { xdr } from '@stellar/stellar-sdk'
import { type AccountId, unmuxed } from '../../ledger/account-id.ts'
import { isCredit, issuerOf, isValidAsset, sdkAsset, trustlineAsset } from '../../ledger/assets.ts'
import { availableBalance, maxReceivable } from '../../ledger/reserves.ts'
import {
  availableTrustBalance,
  isAuthorized,
  maxReceivableOnTrustline,
} from '../../ledger/trustline.ts'
import {
  accountExists,
  loadTrustline,
  requireAccount,
  storeAccount,
  storeTrustline,
} from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  succeeded,
} from '../operation.ts'

const { payment: result } = xdr.OperationResultTr
const outcomes = xdr.PaymentResult
type Problem = () => xdr.PaymentResult

/** Checks the destination first, as stellar-core does, where a payment is a path payment of one asset. */
export function payment(operation: xdr.PaymentOp): OperationFrame {
  return {
    threshold: 'medium',
    check: () =>
      operation.amount <= 0n || !isValidAsset(operation.asset)
        ? inner(result(outcomes.paymentMalformed()))
        : undefined,
    apply: (context) => applyPayment(context, operation),
  }
}

function applyPayment(context: ApplyContext, operation: xdr.PaymentOp): OperationOutcome {
  const { asset, amount } = operation
  const destination = unmuxed(operation.destination)
  const toSelf = destination === context.source && !isCredit(asset)
  const problem = toSelf ? undefined : move(context, { asset, amount, destination })
  if (problem) return failed(result(problem()))
  context.emit(
    context.events.transfer({
      asset: sdkAsset(asset),
      from: context.muxedSource,
      to: operation.destination,
      amount,
      memo: context.transaction.xdr.memo,
    }),
  )
  return succeeded(result(outcomes.paymentSuccess()))
}

interface Move {
  readonly asset: xdr.Asset
  readonly amount: bigint
  readonly destination: AccountId
}

function move(context: ApplyContext, { asset, amount, destination }: Move): Problem | undefined {
  const toIssuer = isCredit(asset) && issuerOf(asset) === destination
  // A payment to the issuer succeeds even if the issuer's account does not exist.
  if (!toIssuer && !accountExists(context.ltx, destination)) {
    return outcomes.paymentNoDestination
  }
  return (
    receive(context, { asset, amount, destination }) ??
    (isCredit(asset) ? sendCredit(context, { asset, amount }) : sendNative(context, { amount }))
  )
}

function receive(
  { ltx, ledger }: ApplyContext,
  { asset, amount, destination }: Move,
): Problem | undefined {
  if (!isCredit(asset)) {
    const account = requireAccount(ltx, destination)
    if (maxReceivable(account) < amount) return outcomes.paymentLineFull
    account.balance += amount
    storeAccount(ltx, account, ledger.sequence)
    return undefined
  }
  if (issuerOf(asset) === destination) return undefined
  const line = loadTrustline(ltx, destination, trustlineAsset(asset))
  if (!line) return outcomes.paymentNoTrust
  if (!isAuthorized(line)) return outcomes.paymentNotAuthorized
  if (maxReceivableOnTrustline(line) < amount) return outcomes.paymentLineFull
  line.balance += amount
  storeTrustline(ltx, line, ledger.sequence)
  return undefined
}

function sendNative(
  { ltx, ledger, source }: ApplyContext,
  { amount }: { amount: bigint },
): Problem | undefined {
  const account = requireAccount(ltx, source)
  if (availableBalance(account) < amount) return outcomes.paymentUnderfunded
  account.balance -= amount
  storeAccount(ltx, account, ledger.sequence)
  return undefined
}

function sendCredit(
  { ltx, ledger, source }: ApplyContext,
  { asset, amount }: { asset: Parameters<typeof issuerOf>[0]; amount: bigint },
): Problem | undefined {
  if (issuerOf(asset) === source) return undefined
  const line = loadTrustline(ltx, source, trustlineAsset(asset))
  if (!line) return outcomes.paymentSrcNoTrust
  if (!isAuthorized(line)) return outcomes.paymentSrcNotAuthorized
  if (availableTrustBalance(line) < amount) return outcomes.paymentUnderfunded
  line.balance -= amount
  storeTrustline(ltx, line, ledger.sequence)
  return undefined
}
