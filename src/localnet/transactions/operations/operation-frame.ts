import type { xdr } from '@stellar/stellar-sdk'
import type { OperationFrame } from '../operation.ts'
import { accountMerge } from './account-merge.ts'
import { beginSponsoring } from './begin-sponsoring.ts'
import { bumpSequence } from './bump-sequence.ts'
import { changeTrust } from './change-trust.ts'
import { clawback } from './clawback.ts'
import { createAccount } from './create-account.ts'
import { endSponsoring } from './end-sponsoring.ts'
import { extendFootprintTtl } from './extend-footprint-ttl.ts'
import { invokeHostFunction } from './invoke-host-function.ts'
import { manageData } from './manage-data.ts'
import { payment } from './payment.ts'
import { restoreFootprint } from './restore-footprint.ts'
import { revokeSponsorship } from './revoke-sponsorship.ts'
import { setOptions } from './set-options.ts'
import { setTrustLineFlags } from './set-trust-line-flags.ts'

/** The operation behind a body; undefined for what this network leaves out: opNOT_SUPPORTED. */
export function operationFrame({ body }: xdr.Operation): OperationFrame | undefined {
  switch (body.type) {
    case 'createAccount':
      return createAccount(body.createAccountOp)
    case 'payment':
      return payment(body.paymentOp)
    case 'changeTrust':
      return changeTrust(body.changeTrustOp)
    case 'setOptions':
      return setOptions(body.setOptionsOp)
    case 'setTrustLineFlags':
      return setTrustLineFlags(body.setTrustLineFlagsOp)
    case 'clawback':
      return clawback(body.clawbackOp)
    case 'manageData':
      return manageData(body.manageDataOp)
    case 'bumpSequence':
      return bumpSequence(body.bumpSequenceOp)
    case 'accountMerge':
      return accountMerge(body.destination)
    case 'beginSponsoringFutureReserves':
      return beginSponsoring(body.beginSponsoringFutureReservesOp)
    case 'endSponsoringFutureReserves':
      return endSponsoring()
    case 'revokeSponsorship':
      return revokeSponsorship(body.revokeSponsorshipOp)
    case 'invokeHostFunction':
      return invokeHostFunction(body.invokeHostFunctionOp)
    case 'extendFootprintTtl':
      return extendFootprintTtl(body.extendFootprintTtlOp)
    case 'restoreFootprint':
      return restoreFootprint()
    default:
      return undefined
  }
}
