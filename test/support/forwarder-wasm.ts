/**
 * Two contracts of a few bytes, which any seller can write: one calls whatever it is told to call, the other does so in its
 * constructor. Neither asks for an authorization of its own, so what they call uses the entries of the transaction.
 */

/** `run(contract, function, args)` of a contract without a constructor. */
export const forwarderWasm = (): Buffer => wasm('run', [CALL, END])

/** `__constructor(contract, function, args)`. */
export const forwardingConstructorWasm = (): Buffer =>
  wasm('__constructor', [CALL, DROP, VOID, END])

/* A WebAssembly module by hand: https://webassembly.github.io/spec/core/binary/modules.html */

const I64 = 0x7e
/** The three parameters, for the host's function `call` (module `d`, name `_`), which is function 0. */
const CALL = [0x20, 0, 0x20, 1, 0x20, 2, 0x10, 0]
const DROP = [0x1a]
/** The host's value of nothing: tag 2. */
const VOID = [0x42, 2]
const END = [0x0b]

const sized = (bytes: readonly number[]) => [bytes.length, ...bytes]
const text = (value: string) => sized([...Buffer.from(value)])
const section = (id: number, bytes: readonly number[]) => [id, ...sized(bytes)]

function wasm(name: string, instructions: readonly (readonly number[])[]): Buffer {
  const body = sized([0, ...instructions.flat()])
  return Buffer.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // One type: three host values to one.
    ...section(1, [1, 0x60, 3, I64, I64, I64, 1, I64]),
    ...section(2, [1, ...text('d'), ...text('_'), 0, 0]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text(name), 0, 1]),
    ...section(10, [1, ...body]),
    // The version of the host's interface: protocol 29, no pre-release.
    ...section(0, [...text('contractenvmetav0'), 0, 0, 0, 0, 0, 0, 0, 29, 0, 0, 0, 0]),
  ])
}
