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

const messageOf = (kind: string, ...body: readonly number[]): Buffer => {
  const head = Buffer.from(`${kind}\0\0\0\0`)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, Buffer.from(body)])
}
const zeros = (count: number) => Array.from({ length: count }, () => 0)
/** One column without a name, of a type whose values may be long. */
const column = messageOf('T', 0, 1, ...zeros(19))
const row = messageOf('D', 0, 1, 0, 0, 0, 1, 65)
const end = messageOf('C', 0)
const isReady = messageOf('Z', 73)

test('passes on a row, an empty value, a value that is null, and an error', () => {
  const answer = [
    column,
    row,
    messageOf('D', 0, 1, 0, 0, 0, 0),
    messageOf('D', 0, 1, 255, 255, 255, 255),
    messageOf('E', 83, 65, 0, 0),
    isReady,
  ]
  const guard = new AnswerGuard(1_000)
  guard.begin()
  let count = 0
  guard.read(Buffer.concat(answer), () => {
    count += 1
  })
  expect(count).toBe(answer.length)
})

test.each([
  {
    what: 'a value that reaches into the next message',
    sent: [column, messageOf('D', 0, 1, 0, 0, 0, 9), end],
    says: 'a row without an end',
  },
  {
    what: 'a value without a length',
    sent: [column, messageOf('D', 0, 1, 0)],
    says: 'a row without an end',
  },
  {
    what: 'a value of a negative length',
    sent: [column, messageOf('D', 0, 1, 255, 255, 255, 0)],
    says: 'a row without an end',
  },
  {
    what: 'bytes after the last value',
    sent: [column, messageOf('D', 0, 1, 0, 0, 0, 0, 65)],
    says: 'a row without an end',
  },
  { what: 'a row without columns', sent: [row], says: 'other columns than announced' },
  {
    what: 'a column without an end',
    sent: [messageOf('T', 0, 1, 65)],
    says: 'a column without an end',
  },
  {
    what: 'many ends of one answer',
    sent: Array.from({ length: 9 }, () => end),
    says: 'more than 8 messages of the kind C',
  },
  {
    what: 'a row after the answer',
    sent: [column, end, isReady, row],
    says: 'an answer without a query',
  },
  {
    what: 'a row after an error',
    sent: [column, messageOf('E', 0), row],
    says: 'an answer without a query',
  },
  {
    what: 'an error without an end',
    sent: [messageOf('E', 83)],
    says: 'an error or a notice without an end',
  },
  {
    what: 'a notice whose end is that of a field',
    sent: [messageOf('N', 83, 0)],
    says: 'an error or a notice without an end',
  },
  {
    what: 'a message of 2 GiB',
    sent: [Buffer.from([0x44, 0x7f, 0xff, 0xff, 0xff])],
    says: 'a message of more than 1000 bytes',
  },
  {
    what: 'a length below its own',
    sent: [Buffer.from([0x44, 0, 0, 0, 3])],
    says: 'a length below its own',
  },
  { what: 'data to copy', sent: [messageOf('d', 65)], says: 'a message that answers nothing' },
])('refuses $what', ({ sent, says }) => {
  const guard = new AnswerGuard(1_000)
  guard.begin()
  expect(() => guard.read(Buffer.concat(sent), () => undefined)).toThrow(says)
})

test('passes on a value of 64 KiB, and no longer one', () => {
  const rowOf = (size: number) =>
    messageOf('D', 0, 1, 0, size >> 16, (size >> 8) & 255, size & 255, ...zeros(size))
  const answerOf = (size: number) => Buffer.concat([column, rowOf(size), end, isReady])
  const read = (size: number) => {
    const guard = new AnswerGuard(1_000_000)
    guard.begin()
    guard.read(answerOf(size), () => undefined)
  }
  read(65_536)
  expect(() => read(65_537)).toThrow('a value of more than 65536 bytes')
})
