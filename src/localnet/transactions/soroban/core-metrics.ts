/**
 * The `core_metrics` events that follow all other diagnostic events of an invocation
 * (`maybePopulateMetricsInDiagnosticEvents` of stellar-core's InvokeHostFunctionOpFrame.cpp).
 */
import { xdr } from '@stellar/stellar-sdk'

export interface InvocationMetrics {
  readonly successful: boolean
  /** `counts` of InvokeOutput. */
  readonly counts: readonly number[]
  readonly instructions: bigint
  readonly memoryBytes: bigint
}

const names = [
  'read_entry',
  'write_entry',
  'ledger_read_byte',
  'ledger_write_byte',
  'read_key_byte',
  'write_key_byte',
  'read_data_byte',
  'write_data_byte',
  'read_code_byte',
  'write_code_byte',
  'emit_event',
  'emit_event_byte',
  'cpu_insn',
  'mem_byte',
  'invoke_time_nsecs',
  'max_rw_key_byte',
  'max_rw_data_byte',
  'max_rw_code_byte',
  'max_emit_event_byte',
] as const

const FIRST_OF_HOST = names.indexOf('cpu_insn')

/** About what a validator of testnet needs. */
const INSTRUCTIONS_PER_NANOSECOND = 4n

/** The encoded events with zeros: only the first four and the last eight bytes of each differ. */
const template = names.map((name) =>
  new xdr.DiagnosticEvent({
    inSuccessfulContractCall: false,
    event: new xdr.ContractEvent({
      ext: xdr.ExtensionPoint.v0(),
      contractId: null,
      type: xdr.ContractEventType.diagnostic,
      body: xdr.ContractEventBody.v0(
        new xdr.ContractEventV0({
          topics: [xdr.ScVal.scvSymbol('core_metrics'), xdr.ScVal.scvSymbol(name)],
          data: xdr.ScVal.scvU64(0n),
        }),
      ),
    }),
  }).toXdr(),
)

/**
 * DiagnosticEvent XDR each. The time is not measured but estimated from the instructions, so that the
 * same transactions give the same ledger.
 */
export function coreMetrics(metrics: InvocationMetrics): Uint8Array[] {
  const { successful, counts, instructions, memoryBytes } = metrics
  const values = counts.map(BigInt)
  values.splice(
    FIRST_OF_HOST,
    0,
    ...[instructions, memoryBytes, instructions / INSTRUCTIONS_PER_NANOSECOND],
  )
  return template.map((zero, index) => {
    const event = new Uint8Array(zero)
    const view = new DataView(event.buffer)
    view.setUint32(0, successful ? 1 : 0)
    view.setBigUint64(event.length - 8, values[index] ?? 0n)
    return event
  })
}
