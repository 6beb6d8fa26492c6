/** A contract that anybody can deploy, and that makes two transfers in one call. */
import { call, drop, parameter, raw, voidValue, wasmModule } from './wasm-module.ts'

const alphabet = '_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** A symbol of at most nine characters as a host value (CAP-46-1). */
const symbolValue = (name: string) =>
  raw(
    ([...name].reduce((bits, each) => (bits << 6n) | BigInt(alphabet.indexOf(each) + 1), 0n) <<
      8n) |
      14n,
  )

const transferWith = (argumentsAt: number) => [
  ...[parameter(0), symbolValue('transfer'), parameter(argumentsAt), call(0), drop],
]

/** `both(token, args, args)`. */
export const batchWasm = (): Buffer =>
  wasmModule({
    name: 'both',
    hostFunctions: [{ module: 'd', name: '_', parameters: 3 }],
    body: [...transferWith(1), ...transferWith(2), voidValue],
  })
