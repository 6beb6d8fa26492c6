/** Why a transaction is not valid, in the words of its result code. */
import { xdr } from '@stellar/stellar-sdk'
import type { TransactionErrorCode } from './result.ts'

export interface Problem {
  readonly code: TransactionErrorCode
  readonly diagnostic?: Diagnostic
}

export interface Diagnostic {
  readonly type: 'sceStorage' | 'sceBudget' | 'sceContext' | 'sceValue'
  readonly code: 'scecExceededLimit' | 'scecInvalidInput' | 'scecUnexpectedType'
  readonly message: string
  readonly values?: readonly (bigint | number | xdr.ScVal)[]
}

export const problem = (code: TransactionErrorCode, diagnostic?: Diagnostic): Problem => ({
  code,
  ...(diagnostic && { diagnostic }),
})

const asScVal = (value: bigint | number | xdr.ScVal): xdr.ScVal =>
  typeof value === 'object' ? value : xdr.ScVal.scvU64(BigInt(value))

/** The DiagnosticEvent that stellar-core answers a refused Soroban transaction with. */
export function diagnosticEvent({ type, code, message, values = [] }: Diagnostic): Uint8Array {
  const text = xdr.ScVal.scvString(message)
  const error = xdr.ScError[type](xdr.ScErrorCode[code])
  return new xdr.DiagnosticEvent({
    inSuccessfulContractCall: false,
    event: new xdr.ContractEvent({
      ext: xdr.ExtensionPoint.v0(),
      contractId: null,
      type: xdr.ContractEventType.diagnostic,
      body: xdr.ContractEventBody.v0(
        new xdr.ContractEventV0({
          topics: [xdr.ScVal.scvSymbol('error'), xdr.ScVal.scvError(error)],
          data: values.length === 0 ? text : xdr.ScVal.scvVec([text, ...values.map(asScVal)]),
        }),
      ),
    }),
  }).toXdr()
}
