import { xdr } from '@stellar/stellar-sdk'
import { failed, type OperationFrame, succeeded } from '../../operation.ts'

const { endSponsoringFutureReserves: result } = xdr.OperationResultTr
const outcomes = xdr.EndSponsoringFutureReservesResult

/** Its source is the sponsored account, which so agrees to the sponsorship (CAP-33). */
export const endSponsoring = (): OperationFrame => ({
  threshold: 'medium',
  check: () => undefined,
  apply: ({ source, sponsorships }) =>
    sponsorships.delete(source)
      ? succeeded(result(outcomes.endSponsoringFutureReservesSuccess()))
      : failed(result(outcomes.endSponsoringFutureReservesNotSponsored())),
})
