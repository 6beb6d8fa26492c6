import { readFileSync } from 'node:fs'
import { HostCallError } from './host-call-error.ts'
import { type GetEntry, HostInstance, type HostOperation } from './instance.ts'
import { type InvokeInput, type InvokeOutput, readInvoke, writeInvoke } from './invoke.ts'
import type { MessageReader } from './message.ts'
import {
  type ResourceFee,
  type ResourceFeeInput,
  readResourceFee,
  writeResourceFee,
} from './resource-fee.ts'
import { readSimulate, type SimulateInput, type SimulateOutput, writeSimulate } from './simulate.ts'
import {
  type ApplyTtlInput,
  type ApplyTtlOutput,
  readApplyTtl,
  type SimulateTtlInput,
  writeApplyTtl,
  writeSimulateTtl,
} from './ttl.ts'

const hostWasmUrl = new URL('../host/host.wasm', import.meta.url)

let compiled: WebAssembly.Module | undefined
const compile = (): WebAssembly.Module => {
  compiled ??= new WebAssembly.Module(readFileSync(hostWasmUrl))
  return compiled
}

/**
 * The real Soroban host, on a ledger that the caller keeps. Each call is synchronous, depends only on its
 * input and the ledger, and does not write the ledger.
 *
 * Calls throw HostCallError when the host refuses them. Anything else thrown (a wasm trap, or
 * an error of `getEntry`) breaks the instance: the next call uses a new one.
 */
export class SorobanHost {
  readonly #start: () => HostInstance
  #instance: HostInstance

  private constructor(start: () => HostInstance) {
    this.#start = start
    this.#instance = start()
  }

  /** `log` gets a line for each panic of the host, before the trap is thrown. */
  static load(getEntry: GetEntry, log: (line: string) => void = () => undefined): SorobanHost {
    const module = compile()
    return new SorobanHost(() => new HostInstance(module, getEntry, log))
  }

  /** The only ledger protocol that this host supports. */
  get protocol(): number {
    return this.#instance.protocol
  }

  /** Size of the host's linear memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#instance.memoryBytes
  }

  /** ContractCostParams XDR of the crate's own metering calibration, for the genesis settings. */
  costParams(): { cpu: Uint8Array; mem: Uint8Array } {
    const output = this.#call('host_cost_params', new Uint8Array())
    return { cpu: output.bytes(), mem: output.bytes() }
  }

  /** Computes the result of `simulateTransaction` for a host function. */
  simulate(input: SimulateInput): SimulateOutput {
    return readSimulate(this.#call('host_simulate', writeSimulate(input)))
  }

  /** SorobanTransactionData XDR for extending or restoring these entries. */
  simulateTtl(input: SimulateTtlInput): Uint8Array {
    return this.#call('host_simulate_ttl', writeSimulateTtl(input)).rest()
  }

  /** Applies a host function in a closing ledger; the caller charges and commits. */
  invoke(input: InvokeInput): InvokeOutput {
    return readInvoke(this.#call('host_invoke', writeInvoke(input)))
  }

  /** Applies ExtendFootprintTTL or RestoreFootprint; the caller charges and commits. */
  applyTtl(input: ApplyTtlInput): ApplyTtlOutput {
    return readApplyTtl(this.#call('host_apply_ttl', writeApplyTtl(input)))
  }

  /** The fee for the declared resources, to check the declared fee. */
  resourceFee(input: ResourceFeeInput): ResourceFee {
    return readResourceFee(this.#call('host_resource_fee', writeResourceFee(input)))
  }

  #call(operation: HostOperation, input: Uint8Array): MessageReader {
    try {
      return this.#instance.call(operation, input)
    } catch (error) {
      if (!(error instanceof HostCallError)) this.#instance = this.#start()
      throw error
    }
  }
}
