import { xdr } from '@stellar/stellar-sdk'
import { type BoundOperation, failed, succeeded } from '../operation.ts'

const { endSponsoringFutureReserves: result } = xdr.OperationResultTr
const outcomes = xdr.EndSponsoringFutureReservesResult

/** The sponsored account agrees to what was sponsored by ending it (CAP-33). */
export const endSponsoring = (): BoundOperation => ({
  threshold: 'medium',
  check: () => undefined,
  apply: ({ source, sponsorships }) =>
    sponsorships.delete(source)
      ? succeeded(result(outcomes.endSponsoringFutureReservesSuccess()))
      : failed(result(outcomes.endSponsoringFutureReservesNotSponsored())),
})
