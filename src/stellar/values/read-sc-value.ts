import { Address, xdr } from '@stellar/stellar-sdk'
import type { HostErrorCode, HostEvent, IntegerType, ScValue } from './sc-value.ts'

/** Turns an XDR contract value into plain data. */
export function readScValue(value: xdr.ScVal): ScValue {
  switch (value.type) {
    case 'scvVoid':
      return { type: 'void' }
    case 'scvBool':
      return { type: 'bool', value: value.b }
    case 'scvSymbol':
      return { type: 'symbol', value: value.sym.toString() }
    case 'scvString':
      return { type: 'string', value: value.str.toString() }
    case 'scvBytes':
      return { type: 'bytes', value: value.bytes.toBytes() }
    case 'scvAddress':
      return { type: 'address', value: readAddress(value.address) }
    case 'scvVec':
      return { type: 'vec', items: (value.vec ?? []).map(readScValue) }
    case 'scvMap':
      return { type: 'map', entries: (value.map ?? []).map(readMapEntry) }
    case 'scvError':
      return { type: 'error', error: readScError(value.error) }
    default:
      return readInteger(value) ?? { type: 'other', xdrType: value.type }
  }
}

/** The strkey of an XDR address. */
export const readAddress = (address: xdr.ScAddress): string =>
  Address.fromScAddress(address).toString()

/** Reads one event (base64 XDR `DiagnosticEvent`). Throws on anything else. */
export function readDiagnosticEvent(base64: string): HostEvent {
  const { event, inSuccessfulContractCall } = xdr.DiagnosticEvent.fromXdr(base64, 'base64')
  const { topics, data } = event.body.v0
  return {
    kind: event.type.name,
    inSuccessfulCall: inSuccessfulContractCall,
    ...(event.contractId && { contract: Address.contract(event.contractId.toBytes()).toString() }),
    topics: topics.map(readScValue),
    data: readScValue(data),
  }
}

const readMapEntry = ({ key, val }: xdr.ScMapEntry): readonly [ScValue, ScValue] => [
  readScValue(key),
  readScValue(val),
]

function readInteger(value: xdr.ScVal): ScValue | undefined {
  const integer = (type: IntegerType, n: bigint | number): ScValue => ({ type, value: BigInt(n) })
  switch (value.type) {
    case 'scvU32':
      return integer('u32', value.u32)
    case 'scvI32':
      return integer('i32', value.i32)
    case 'scvU64':
      return integer('u64', value.u64)
    case 'scvI64':
      return integer('i64', value.i64)
    case 'scvU128':
      return integer('u128', (value.u128.hi << 64n) | value.u128.lo)
    case 'scvI128':
      return integer('i128', (value.i128.hi << 64n) | value.i128.lo)
    default:
      return undefined
  }
}

/** XDR writes `sceAuth` and `scecExistingValue` where the host prints `Auth` and `ExistingValue`. */
function readScError(error: xdr.ScError): HostErrorCode {
  if (error.type === 'sceContract') return { type: 'Contract', code: `#${error.contractCode}` }
  return { type: error.type.slice('sce'.length), code: error.code.name.slice('scec'.length) }
}
