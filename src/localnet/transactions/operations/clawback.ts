import { xdr } from '@stellar/stellar-sdk'
import { unmuxed } from '../../ledger/account-id.ts'
import { isCredit, issuerOf, isValidAsset, sdkAsset, trustlineAsset } from '../../ledger/assets.ts'
import { availableTrustBalance, trustlineFlags } from '../../ledger/trustline.ts'
import { loadTrustline, storeTrustline } from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  type CheckContext,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  succeeded,
} from '../operation.ts'

const { clawback: result } = xdr.OperationResultTr
const outcomes = xdr.ClawbackResult

/** The issuer burns balance of a trustline with the clawback flag (CAP-35). */
export const clawback = (operation: xdr.ClawbackOp): OperationFrame => ({
  threshold: 'medium',
  check: (context) =>
    isValid(operation, context) ? undefined : inner(result(outcomes.clawbackMalformed())),
  apply: (context) => applyClawback(context, operation),
})

function isValid({ asset, from, amount }: xdr.ClawbackOp, { source }: CheckContext): boolean {
  if (!isCredit(asset) || !isValidAsset(asset) || issuerOf(asset) !== source) return false
  // A muxed address of the issuer passes here, and fails later for lack of a trustline.
  const fromItself = from.type === 'keyTypeEd25519' && unmuxed(from) === source
  return amount > 0n && !fromItself
}

function applyClawback(
  context: ApplyContext,
  { asset, from, amount }: xdr.ClawbackOp,
): OperationOutcome {
  const { ltx, ledger } = context
  const line = isCredit(asset) && loadTrustline(ltx, unmuxed(from), trustlineAsset(asset))
  if (!line) return failed(result(outcomes.clawbackNoTrust()))
  if ((line.flags & trustlineFlags.clawbackEnabled) === 0) {
    return failed(result(outcomes.clawbackNotClawbackEnabled()))
  }
  if (availableTrustBalance(line) < amount) return failed(result(outcomes.clawbackUnderfunded()))
  line.balance -= amount
  storeTrustline(ltx, line, ledger.sequence)
  context.emit(context.events.clawback({ asset: sdkAsset(asset), from, amount }))
  return succeeded(result(outcomes.clawbackSuccess()))
}
