import { xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../../../ledger/account-id.ts'
import {
  type ApplyContext,
  failed,
  inner,
  type OperationFrame,
  succeeded,
} from '../../operation.ts'

const { beginSponsoringFutureReserves: result } = xdr.OperationResultTr
const outcomes = xdr.BeginSponsoringFutureReservesResult

/** From now on the source pays the reserves of entries that the other account creates (CAP-33). */
export function beginSponsoring({
  sponsoredId,
}: xdr.BeginSponsoringFutureReservesOp): OperationFrame {
  const sponsored = accountIdOf(sponsoredId)
  return {
    threshold: 'medium',
    check: ({ source }) =>
      source === sponsored
        ? inner(result(outcomes.beginSponsoringFutureReservesMalformed()))
        : undefined,
    apply: ({ source, sponsorships }: ApplyContext) => {
      if (sponsorships.has(sponsored)) {
        return failed(result(outcomes.beginSponsoringFutureReservesAlreadySponsored()))
      }
      // No chains: a sponsor cannot be sponsored, and a sponsored account cannot sponsor.
      if (sponsorships.has(source) || [...sponsorships.values()].includes(sponsored)) {
        return failed(result(outcomes.beginSponsoringFutureReservesRecursive()))
      }
      sponsorships.set(sponsored, source)
      return succeeded(result(outcomes.beginSponsoringFutureReservesSuccess()))
    },
  }
}
