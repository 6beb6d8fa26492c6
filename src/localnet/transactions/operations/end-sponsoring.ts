import { xdr } from '@stellar/stellar-sdk'
import { failed, type OperationFrame, succeeded } from '../operation.ts'

const { endSponsoringFutureReserves: result } = xdr.OperationResultTr
const outcomes = xdr.EndSponsoringFutureReservesResult

/** The sponsored account agrees to what was sponsored by ending it (CAP-33). */
export const endSponsoring = (): OperationFrame => ({
  threshold: 'medium',
  check: () => undefined,
  apply: ({ source, sponsorships }) =>
    sponsorships.delete(source)
      ? succeeded(result(outcomes.endSponsoringFutureReservesSuccess()))
      : failed(result(outcomes.endSponsoringFutureReservesNotSponsored())),
})
