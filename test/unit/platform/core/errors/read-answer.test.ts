import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import {
  AnswerTooLarge,
  bytesOf,
  jsonOf,
  readInto,
} from '../../../../../src/platform/core/errors/read-answer.ts'
import { ByteBuffer } from '../../../../../src/platform/core/language/byte-buffer.ts'

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('an answer is the same, however it arrives', async () => {
  const sent = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256))
  for (const size of [1, 2, 3, 64, 999, 1_000]) {
    expect(await bytesOf({ body: inPieces(sent, size) })).toEqual(sent)
  }
  expect(await bytesOf({ body: null })).toHaveLength(0)
})

test('of an answer that is too large the first bytes stay', async () => {
  const read = new ByteBuffer()
  const body = inPieces(Buffer.from('abcdefgh'), 3)
  await expect(readInto(read, { body }, 5)).rejects.toThrow(AnswerTooLarge)
  expect(read.bytes.toString()).toBe('abcde')
})

test('JSON of more values than its reader takes is refused, however they are nested', async () => {
  const read = (text: string, maxValues: number) =>
    jsonOf({ body: inPieces(Buffer.from(text), 4) }, { maxValues })
  expect(await read('[1,2,{"a":[3]}]', 5)).toEqual([1, 2, { a: [3] }])
  for (const text of ['[1,2,{"a":[3]}]', '[[[[[]]]]]', '{"a":{"b":{"c":[1,2]}}}', '"[,{,["']) {
    await expect(read(text, 4)).rejects.toThrow('the answer has more than 4 values')
  }
})

test('holds none of the pieces in which an answer arrives', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const pieces: WeakRef<ArrayBufferLike>[] = []
  async function* body() {
    for (let at = 0; at < 100; at++) {
      const piece = Buffer.alloc(1, 'x')
      pieces.push(new WeakRef(piece.buffer))
      yield piece
    }
    await setImmediate()
    collect()
    held = pieces.filter((piece) => piece.deref() !== undefined).length
  }
  let held = -1
  expect(await bytesOf({ body: body() })).toHaveLength(100)
  // The runtime may hold the last one that was given away.
  expect(held).toBeLessThanOrEqual(1)
})
