/* A WebAssembly module by hand, with one function: https://webassembly.github.io/spec/core/binary/modules.html */

const I64 = 0x7e
const I64_CONST = 0x42
const LOCAL_GET = 0x20
const LOCAL_SET = 0x21
const LOCAL_TEE = 0x22
const CALL = 0x10
const LOOP = 0x03
const NO_RESULT = 0x40
const BR_IF = 0x0d
const END = 0x0b
const I64_SUB = 0x7d
const I64_NE = 0x52

type Code = readonly number[]

/** A function of the contract host: its module and name in `env.json` of soroban-env-common, and how many values it takes. */
interface HostFunction {
  readonly module: string
  readonly name: string
  readonly parameters: number
}

export interface WasmPlan {
  /** Name of the exported function: three host values to one. */
  readonly name: string
  readonly hostFunctions: readonly HostFunction[]
  readonly body: readonly Code[]
}

/** Pages of 64 KiB of zeros, for host functions that read the memory. */
const MEMORY_PAGES = 2

export const drop: Code = [0x1a]
export const parameter = (index: number): Code => [LOCAL_GET, index]
export const call = (hostFunction: number): Code => [CALL, hostFunction]
export const raw = (value: bigint): Code => [I64_CONST, ...signed(value)]
/** Host values: the tag is in the lowest byte. */
export const u32Value = (value: number): Code => raw((BigInt(value) << 32n) | 4n)
export const voidValue: Code = raw(2n)
export const trap: Code = [0x00]
/** Counts its first parameter down from `rounds`, which overwrites it. */
export const loop = (rounds: number): Code => [
  ...[...raw(BigInt(rounds)), LOCAL_SET, 0],
  ...[LOOP, NO_RESULT, LOCAL_GET, 0, ...raw(1n), I64_SUB, LOCAL_TEE, 0],
  ...[...raw(0n), I64_NE, BR_IF, 0, END],
]

/** The module, as a contract of protocol 29. */
export function wasmModule({ name, hostFunctions, body }: WasmPlan): Buffer {
  const types = [3, ...hostFunctions.map(({ parameters }) => parameters)]
  const imports = hostFunctions.map((each, index) => [
    ...[...text(each.module), ...text(each.name), 0],
    ...unsigned(index + 1),
  ])
  const code = sized([0, ...body.flat(), END])
  return Buffer.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, listed(types.map((count) => [0x60, count, ...Array(count).fill(I64), 1, I64]))),
    ...section(2, listed(imports)),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, MEMORY_PAGES]),
    ...section(
      7,
      listed([
        [...text(name), 0, ...unsigned(hostFunctions.length)],
        [...text('memory'), 2, 0],
      ]),
    ),
    ...section(10, [1, ...code]),
    // The version of the host's interface: protocol 29, no pre-release.
    ...section(0, [...text('contractenvmetav0'), 0, 0, 0, 0, 0, 0, 0, 29, 0, 0, 0, 0]),
  ])
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn)
  const rest = value >> 7n
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)
  return isLast ? [low] : [low | 0x80, ...signed(rest)]
}

const sized = (bytes: Code) => [...unsigned(bytes.length), ...bytes]
const listed = (items: readonly Code[]) => [...unsigned(items.length), ...items.flat()]
const text = (value: string) => sized([...Buffer.from(value)])
const section = (id: number, bytes: Code) => [id, ...sized(bytes)]
