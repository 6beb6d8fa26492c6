import { HostCallError } from './host-call-error.ts'
import { MessageReader } from './message.ts'

/** A ledger entry with its TTL. */
export interface StoredEntry {
  /** LedgerEntry XDR. */
  readonly entry: Uint8Array
  /** Last ledger in which the entry is live; absent for entries without a TTL. */
  readonly liveUntil?: number
}

/** Returns the entry of a LedgerKey XDR, expired or not. */
export type GetEntry = (keyXdr: Uint8Array) => StoredEntry | undefined

export type HostOperation =
  | 'host_cost_params'
  | 'host_resource_fee'
  | 'host_simulate'
  | 'host_invoke'
  | 'host_simulate_ttl'
  | 'host_apply_ttl'

type Exports = Record<HostOperation, (pointer: number, length: number) => bigint> & {
  readonly memory: WebAssembly.Memory
  host_init(): void
  host_protocol(): number
  host_alloc(length: number): number
  host_free(pointer: number, length: number): void
}

const text = new TextDecoder()

/** Pointer and length in one number, because a wasm function has one result. */
const pack = (pointer: number, length: number) => (BigInt(pointer) << 32n) | BigInt(length)
const unpack = (packed: bigint) => {
  const unsigned = BigInt.asUintN(64, packed)
  return { pointer: Number(unsigned >> 32n), length: Number(unsigned & 0xffff_ffffn) }
}

/** A running instance of the module: copies messages to and from its memory. */
export class HostInstance {
  readonly #exports: Exports
  readonly #getEntry: GetEntry

  constructor(module: WebAssembly.Module, getEntry: GetEntry, log: (line: string) => void) {
    this.#getEntry = getEntry
    const env = {
      ledger_get: (pointer: number, length: number) => this.#lookUp(pointer, length),
      log: (pointer: number, length: number) => log(text.decode(this.#view(pointer, length))),
    }
    // These are the exports of the crate in ../host.
    this.#exports = new WebAssembly.Instance(module, { env }).exports as Exports
    this.#exports.host_init()
  }

  get protocol(): number {
    return this.#exports.host_protocol()
  }

  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength
  }

  /**
   * Runs one operation and returns its output.
   * @throws HostCallError when the host refuses the call
   * @throws WebAssembly.RuntimeError and whatever `getEntry` throws; then this instance is broken
   */
  call(operation: HostOperation, input: Uint8Array): MessageReader {
    const pointer = this.#write(input.length, (memory) => memory.set(input))
    const answer = unpack(this.#exports[operation](pointer, input.length))
    const output = this.#view(answer.pointer, answer.length).slice()
    this.#exports.host_free(answer.pointer, answer.length)
    const reader = new MessageReader(output)
    const refused = reader.u8()
    if (refused !== 0) throw HostCallError.from(refused, reader.text())
    return reader
  }

  /** Allocating may grow the memory, which detaches its buffer: so views are created afterwards. */
  #write(length: number, fill: (memory: Uint8Array) => void): number {
    const pointer = this.#exports.host_alloc(length) >>> 0
    fill(this.#view(pointer, length))
    return pointer
  }

  #view(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, pointer >>> 0, length)
  }

  #lookUp(pointer: number, length: number): bigint {
    const found = this.#getEntry(this.#view(pointer, length).slice())
    if (found === undefined) return 0n
    const size = found.entry.length + 4
    const buffer = this.#write(size, (memory) => {
      new DataView(memory.buffer, memory.byteOffset).setUint32(0, found.liveUntil ?? 0, true)
      memory.set(found.entry, 4)
    })
    return pack(buffer, size)
  }
}
