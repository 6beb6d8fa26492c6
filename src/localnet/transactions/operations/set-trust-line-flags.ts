import { xdr } from '@stellar/stellar-sdk'
import { accountFlags } from '../../ledger/account.ts'
import { accountIdOf } from '../../ledger/account-id.ts'
import { isCredit, issuerOf, isValidAsset, sdkAsset, trustlineAsset } from '../../ledger/assets.ts'
import { trustlineFlags } from '../../ledger/trustline.ts'
import { loadTrustline, requireAccount, storeTrustline } from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  type CheckContext,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  succeeded,
} from '../operation.ts'

const { setTrustLineFlags: result } = xdr.OperationResultTr
const outcomes = xdr.SetTrustLineFlagsResult

const { authorized, authorizedToMaintainLiabilities, clawbackEnabled } = trustlineFlags
/** At most one of the two may be set (CAP-18). */
const AUTH_FLAGS = authorized | authorizedToMaintainLiabilities
const ALL_FLAGS = AUTH_FLAGS | clawbackEnabled

/**
 * Sets authorization and clawback flags of a trustline (CAP-35). Revoking would also remove offers and pool
 * shares, which localnet does not have.
 */
export const setTrustLineFlags = (operation: xdr.SetTrustLineFlagsOp): OperationFrame => ({
  threshold: 'low',
  check: (context) =>
    isValid(operation, context) ? undefined : inner(result(outcomes.setTrustLineFlagsMalformed())),
  apply: (context) => applyFlags(context, operation),
})

function isValid(
  { asset, trustor, setFlags, clearFlags }: xdr.SetTrustLineFlagsOp,
  { source }: CheckContext,
): boolean {
  if (!isCredit(asset) || !isValidAsset(asset)) return false
  if (issuerOf(asset) !== source || accountIdOf(trustor) === source) return false
  if ((setFlags & clearFlags) !== 0 || ((setFlags | clearFlags) & ~ALL_FLAGS) !== 0) return false
  // The clawback flag is set when the trustline is created; here it can only be cleared.
  return (setFlags & clawbackEnabled) === 0 && setFlags !== AUTH_FLAGS
}

function applyFlags(
  context: ApplyContext,
  { asset, trustor, setFlags, clearFlags }: xdr.SetTrustLineFlagsOp,
): OperationOutcome {
  const { ltx, ledger, source } = context
  const { flags } = requireAccount(ltx, source)
  const revokes = (clearFlags & AUTH_FLAGS) !== 0 && (setFlags & authorized) === 0
  if (revokes && (flags & accountFlags.authRevocable) === 0) {
    return failed(result(outcomes.setTrustLineFlagsCantRevoke()))
  }
  const owner = accountIdOf(trustor)
  const line = isCredit(asset) && loadTrustline(ltx, owner, trustlineAsset(asset))
  if (!line) return failed(result(outcomes.setTrustLineFlagsNoTrustLine()))
  const was = line.flags
  line.flags = (was & ~clearFlags) | setFlags
  if ((line.flags & AUTH_FLAGS) === AUTH_FLAGS) {
    return failed(result(outcomes.setTrustLineFlagsInvalidState()))
  }
  storeTrustline(ltx, line, ledger.sequence)
  if (((was ^ line.flags) & authorized) !== 0) {
    const authorize = (line.flags & authorized) !== 0
    context.emit(context.events.authorization({ asset: sdkAsset(asset), owner, authorize }))
  }
  return succeeded(result(outcomes.setTrustLineFlagsSuccess()))
}
