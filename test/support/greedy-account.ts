/** Smart accounts that accept every signature, and use more than the network lets a transaction use. */
import { call, drop, loop, raw, trap, u32Value, voidValue, wasmModule } from './wasm-module.ts'

/** What an account does whenever it is asked; counts and sizes in bytes. */
export interface Greed {
  /** Temporary entries that it writes. */
  readonly writes?: { readonly entries: number; readonly bytes: number }
  /** Entries that it looks for. */
  readonly reads?: number
  readonly events?: { readonly count: number; readonly bytes: number }
  /** Rounds of a loop that computes nothing. */
  readonly rounds?: number
  /** Whether it refuses in the end. */
  readonly refuses?: boolean
}

const hostFunctions = [
  { module: 'l', name: '_', parameters: 3 },
  { module: 'l', name: '0', parameters: 2 },
  { module: 'x', name: '1', parameters: 2 },
  { module: 'b', name: '3', parameters: 2 },
  { module: 'v', name: '_', parameters: 0 },
] as const
/** In the order of `hostFunctions`. */
const [put, has, publish, newBytes, newVector] = [call(0), call(1), call(2), call(3), call(4)]
const TEMPORARY = raw(0n)

/** That many zeros, from the module's memory. */
const zeros = (bytes: number) => [u32Value(0), u32Value(bytes), newBytes]

/** A contract account without a constructor. */
export const greedyAccountWasm = ({
  writes = { entries: 0, bytes: 0 },
  reads = 0,
  events = { count: 0, bytes: 0 },
  rounds = 0,
  refuses = false,
}: Greed): Buffer =>
  wasmModule({
    name: '__check_auth',
    hostFunctions,
    body: [
      ...times(writes.entries, (i) => [u32Value(i), ...zeros(writes.bytes), TEMPORARY, put, drop]),
      ...times(reads, (i) => [u32Value(i), TEMPORARY, has, drop]),
      ...times(events.count, () => [newVector, ...zeros(events.bytes), publish, drop]),
      ...(rounds > 0 ? [loop(rounds)] : []),
      refuses ? trap : voidValue,
    ],
  })

type Code = readonly number[]

const times = (count: number, code: (index: number) => readonly Code[]): readonly Code[] =>
  Array.from({ length: count }, (_, index) => code(index)).flat()
