import { xdr } from '@stellar/stellar-sdk'
import { isPersistentKey } from '../../../ledger/keys.ts'
import { failed, inner, type OperationFrame, succeeded } from '../../operation.ts'
import { applyTtl } from '../../soroban/ttl-operation.ts'

const { restoreFootprint: result } = xdr.OperationResultTr
const outcomes = xdr.RestoreFootprintResult

/** Restores the archived entries of the read-write footprint (CAP-46-12). */
export const restoreFootprint = (): OperationFrame => ({
  threshold: 'medium',
  check: ({ transaction }) => {
    const footprint = transaction.soroban?.resources.footprint
    const valid = footprint?.readOnly.length === 0 && footprint.readWrite.every(isPersistentKey)
    return valid ? undefined : inner(result(outcomes.restoreFootprintMalformed()))
  },
  apply: (context) => {
    switch (applyTtl(context, { kind: 'restore' })) {
      case 'success':
        return succeeded(result(outcomes.restoreFootprintSuccess()))
      case 'resourceLimitExceeded':
        return failed(result(outcomes.restoreFootprintResourceLimitExceeded()))
      case 'insufficientRefundableFee':
        return failed(result(outcomes.restoreFootprintInsufficientRefundableFee()))
    }
  },
})
