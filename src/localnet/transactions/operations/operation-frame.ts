import { xdr } from '@stellar/stellar-sdk'
import type { OperationFrame } from '../operation.ts'
import { xdrUint32 } from '../xdr-bytes.ts'
import { accountMerge } from './account-merge.ts'
import { bumpSequence } from './bump-sequence.ts'
import { changeTrust } from './change-trust.ts'
import { clawback } from './clawback.ts'
import { createAccount } from './create-account.ts'
import { manageData } from './manage-data.ts'
import { payment } from './payment.ts'
import { setOptions } from './set-options.ts'
import { setTrustLineFlags } from './set-trust-line-flags.ts'
import { extendFootprintTtl } from './soroban/extend-footprint-ttl.ts'
import { invokeHostFunction } from './soroban/invoke-host-function.ts'
import { restoreFootprint } from './soroban/restore-footprint.ts'
import { beginSponsoring } from './sponsorship/begin-sponsoring.ts'
import { endSponsoring } from './sponsorship/end-sponsoring.ts'
import { revokeSponsorship } from './sponsorship/revoke-sponsorship.ts'

/** Undefined for operations that localnet does not implement: opNOT_SUPPORTED. */
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

/** The result of an operation that has not run: code 0, as stellar-core initializes it. */
export function initialResult(operation: xdr.Operation): xdr.OperationResult {
  if (!operationFrame(operation)) return xdr.OperationResult.opNotSupported()
  const { type } = operation.body
  const kind = operation.body.toXdr().subarray(0, 4)
  const payload = type === 'accountMerge' ? BALANCE : type === 'invokeHostFunction' ? HASH : 0
  return xdr.OperationResult.fromXdr(
    Buffer.concat([xdrUint32(0), kind, xdrUint32(0), new Uint8Array(payload)]),
  )
}

/** Bytes that a success of these operations carries after its code. */
const BALANCE = 8
const HASH = 32
