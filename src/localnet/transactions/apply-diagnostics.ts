/** Why an operation failed in a ledger, in the words of stellar-core's diagnostic events. */
import { xdr } from '@stellar/stellar-sdk'
import { networkLimits } from '../network-limits.ts'
import type { Exceeded, LimitedResource } from '../soroban/exceeded.ts'
import type { Diagnostic } from './diagnostics.ts'

const texts: Readonly<Record<LimitedResource, string>> = {
  disk_read_bytes: 'operation byte-read resources exceeds amount specified',
  entry_size: 'ContractData size exceeds network config maximum size',
  instructions: 'operation instructions exceeds amount specified',
  memory: 'operation memory usage exceeds network config limit',
  write_bytes: 'operation byte-write resources exceeds amount specified',
  events_size: 'total events size exceeds network config maximum',
}

const MAX_CODE_SIZE = BigInt(networkLimits.testnet.contractMaxSizeBytes)

export function resourceExceeded({ resource, used, allowed }: Exceeded): Diagnostic {
  const isCode = resource === 'entry_size' && allowed === MAX_CODE_SIZE
  const message = isCode
    ? 'Wasm size exceeds network config maximum contract size'
    : texts[resource]
  return { type: 'sceBudget', code: 'scecExceededLimit', message, values: [used, allowed] }
}

/** `key` is the LedgerKey XDR of what the transaction uses without restoring it. */
export function entryArchived(key: Uint8Array): Diagnostic {
  const { kind, values } = archivedThing(xdr.LedgerKey.fromXdr(key))
  const message = `trying to access an archived contract ${kind} entry`
  return { type: 'sceValue', code: 'scecInvalidInput', message, values }
}

function archivedThing(key: xdr.LedgerKey) {
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

interface Shortfall {
  readonly rent: bigint
  readonly events: bigint
  /** What the declared fee leaves for both. */
  readonly limit: bigint
}

export function refundableFeeTooLow({ rent, events, limit }: Shortfall): Diagnostic {
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
