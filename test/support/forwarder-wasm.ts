/**
 * Two contracts of a few bytes, which any seller can write: one calls whatever it is told to call, the other does so in its
 * constructor. Neither asks for an authorization of its own, so what they call uses the entries of the transaction.
 */
import { call, drop, parameter, voidValue, wasmModule } from './wasm-module.ts'

/** `call(contract, function, args)` of the host. */
const hostFunctions = [{ module: 'd', name: '_', parameters: 3 }]
const forward = [parameter(0), parameter(1), parameter(2), call(0)]

/** `run(contract, function, args)` of a contract without a constructor. */
export const forwarderWasm = (): Buffer => wasmModule({ name: 'run', hostFunctions, body: forward })

/** `__constructor(contract, function, args)`. */
export const forwardingConstructorWasm = (): Buffer =>
  wasmModule({ name: '__constructor', hostFunctions, body: [...forward, drop, voidValue] })
