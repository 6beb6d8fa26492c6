import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { AnswerGuard } from '../../../../../src/platform/database/postgres/answer-guard.ts'

/** A notice of this many bytes, its header included. */
function notice(size: number): Buffer {
  const message = Buffer.alloc(size, 'x')
  message.write('N')
  message.writeUInt32BE(size - 1, 1)
  message.fill(0, size - 2)
  return message
}

test('passes on whole messages, however they arrive', () => {
  const sent = Buffer.concat([notice(100), notice(7), notice(3_000)])
  for (const size of [1, 2, 5, 64, 101, sent.length]) {
    const guard = new AnswerGuard(1_000_000)
    guard.begin()
    const messages: string[] = []
    for (let at = 0; at < sent.length; at += size) {
      guard.read(sent.subarray(at, at + size), (message) => messages.push(message.toString('hex')))
    }
    expect(messages).toEqual([100, 7, 3_000].map((each) => notice(each).toString('hex')))
  }
})

test('holds none of the pieces in which a message arrives', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const guard = new AnswerGuard(1_000_000)
  guard.begin()
  const read = () => {
    guard.read(notice(900_000).subarray(0, 5), () => undefined)
    return Array.from({ length: 100 }, () => {
      const piece = Buffer.alloc(1, 'x')
      guard.read(piece, () => undefined)
      return new WeakRef(piece)
    })
  }
  const pieces = read()
  await setImmediate()
  collect()

  expect(pieces.filter((piece) => piece.deref() !== undefined)).toEqual([])
})
