import { xdr } from '@stellar/stellar-sdk'
import { networkLimits } from '../../../genesis/network-limits.ts'
import { isContractKey } from '../../../ledger/keys.ts'
import { failed, inner, type OperationFrame, succeeded } from '../../operation.ts'
import { applyTtl } from '../../soroban/ttl-operation.ts'

const { extendFootprintTtl: result } = xdr.OperationResultTr
const outcomes = xdr.ExtendFootprintTtlResult

/** `maxEntryTtl` includes the current ledger (CAP-46-12). */
const MAX_EXTENSION = networkLimits.testnet.stateArchival.maxEntryTtl - 1

/** Extends the TTLs of the read-only footprint to at least `extendTo` ledgers from this one. */
export function extendFootprintTtl({ extendTo }: xdr.ExtendFootprintTtlOp): OperationFrame {
  return {
    threshold: 'medium',
    check: ({ transaction }) => {
      const footprint = transaction.soroban?.resources.footprint
      const valid =
        footprint?.readWrite.length === 0 &&
        footprint.readOnly.every(isContractKey) &&
        extendTo <= MAX_EXTENSION
      return valid ? undefined : inner(result(outcomes.extendFootprintTtlMalformed()))
    },
    apply: (context) => {
      switch (applyTtl(context, { kind: 'extend', extendTo })) {
        case 'success':
          return succeeded(result(outcomes.extendFootprintTtlSuccess()))
        case 'resourceLimitExceeded':
          return failed(result(outcomes.extendFootprintTtlResourceLimitExceeded()))
        case 'insufficientRefundableFee':
          return failed(result(outcomes.extendFootprintTtlInsufficientRefundableFee()))
      }
    },
  }
}
