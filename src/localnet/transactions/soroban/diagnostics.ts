/** The diagnostic events with which stellar-core explains a refused or failed Soroban transaction. */
import { xdr } from '@stellar/stellar-sdk'
import { networkLimits } from '../../genesis/network-limits.ts'
import type { LimitedResource, ResourceLimitExceeded } from '../../soroban/host-failure.ts'

export interface Diagnostic {
  readonly type: 'sceStorage' | 'sceBudget' | 'sceContext' | 'sceValue'
  readonly code: 'scecExceededLimit' | 'scecInvalidInput' | 'scecUnexpectedType'
  readonly message: string
  readonly values?: readonly (bigint | number | xdr.ScVal)[]
}

/** DiagnosticEvent XDR of one of stellar-core's own errors. */
export function diagnosticEvent({ type, code, message, values = [] }: Diagnostic): Uint8Array {
  const text = xdr.ScVal.scvString(message)
  const error = xdr.ScError[type](xdr.ScErrorCode[code])
  return eventOfCore(
    [xdr.ScVal.scvSymbol('error'), xdr.ScVal.scvError(error)],
    values.length === 0 ? text : xdr.ScVal.scvVec([text, ...values.map(asScVal)]),
  )
}

/**
 * DiagnosticEvent XDR that follows the host's own events when it failed, with its error, an ScVal XDR
 * (`invoke_host_function_or_maybe_panic` of stellar-core's soroban_proto_any.rs).
 */
export const hostFunctionFailed = (error: Uint8Array): Uint8Array =>
  eventOfCore(
    [xdr.ScVal.scvSymbol('host_fn_failed'), xdr.ScVal.fromXdr(error)],
    xdr.ScVal.scvVoid(),
  )

/** An event that no contract emitted, outside of a successful call. */
const eventOfCore = (topics: xdr.ScVal[], data: xdr.ScVal): Uint8Array =>
  new xdr.DiagnosticEvent({
    inSuccessfulContractCall: false,
    event: new xdr.ContractEvent({
      ext: xdr.ExtensionPoint.v0(),
      contractId: null,
      type: xdr.ContractEventType.diagnostic,
      body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics, data })),
    }),
  }).toXdr()

const asScVal = (value: bigint | number | xdr.ScVal): xdr.ScVal =>
  typeof value === 'object' ? value : xdr.ScVal.scvU64(BigInt(value))

const exceededMessages: Readonly<Record<LimitedResource, string>> = {
  disk_read_bytes: 'operation byte-read resources exceeds amount specified',
  entry_size: 'ContractData size exceeds network config maximum size',
  instructions: 'operation instructions exceeds amount specified',
  memory: 'operation memory usage exceeds network config limit',
  write_bytes: 'operation byte-write resources exceeds amount specified',
  events_size: 'total events size exceeds network config maximum',
  return_value_size: 'return value pushes events size above network config maximum',
}

const MAX_CODE_SIZE = BigInt(networkLimits.testnet.contractMaxSizeBytes)

export function resourceExceeded({ resource, used, allowed }: ResourceLimitExceeded): Diagnostic {
  const isCode = resource === 'entry_size' && allowed === MAX_CODE_SIZE
  const message = isCode
    ? 'Wasm size exceeds network config maximum contract size'
    : exceededMessages[resource]
  return { type: 'sceBudget', code: 'scecExceededLimit', message, values: [used, allowed] }
}

/** `key` is the LedgerKey XDR of an archived entry that the transaction uses without restoring it. */
export function entryArchived(key: Uint8Array): Diagnostic {
  const { kind, values } = archivedEntry(xdr.LedgerKey.fromXdr(key))
  const message = `trying to access an archived contract ${kind} entry`
  return { type: 'sceValue', code: 'scecInvalidInput', message, values }
}

function archivedEntry(key: xdr.LedgerKey) {
  switch (key.type) {
    case 'contractCode':
      return { kind: 'code', values: [xdr.ScVal.scvBytes(key.contractCode.hash.value)] }
    case 'contractData':
      return {
        kind: 'data',
        values: [xdr.ScVal.scvAddress(key.contractData.contract), key.contractData.key],
      }
    default:
      throw new TypeError(`a ${key.type} cannot be archived`)
  }
}

interface RefundableFeeShortfall {
  readonly rent: bigint
  readonly events: bigint
  /** The part of the declared fee that is left for both. */
  readonly limit: bigint
}

export function refundableFeeTooLow({ rent, events, limit }: RefundableFeeShortfall): Diagnostic {
  const [what, used] =
    rent > limit
      ? ['ledger storage rent', rent]
      : ['events fee after paying for ledger storage rent', events]
  return {
    type: 'sceBudget',
    code: 'scecExceededLimit',
    message: `refundable resource fee was not sufficient to cover the ${what}: {} > {}`,
    values: [used, limit],
  }
}
