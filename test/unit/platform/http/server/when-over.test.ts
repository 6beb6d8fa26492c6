import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { whenOver } from '../../../../../src/platform/http/server/when-over.ts'

class Fake extends EventEmitter {
  closed = false
  destroyed = false
}

function answerOf(socket: Fake) {
  const response = new Fake()
  const end = vi.fn()
  const begin = () =>
    whenOver({ socket } as unknown as IncomingMessage, response as unknown as ServerResponse, end)
  return { response, end, begin }
}

test('an answer is over once, when it is closed, and its connection may go on', () => {
  const socket = new Fake()
  const [first, second] = [answerOf(socket), answerOf(socket)]
  first.begin()
  second.begin()
  first.response.emit('close')
  first.response.emit('close')
  expect([first.end.mock.calls.length, second.end.mock.calls.length]).toEqual([1, 0])
  socket.emit('close')
  expect([first.end.mock.calls.length, second.end.mock.calls.length]).toEqual([1, 1])
})

test('the end of a connection ends all of its answers, those too that Node 22 tells nothing', () => {
  const socket = new Fake()
  const answers = Array.from({ length: 20 }, () => answerOf(socket))
  for (const { begin } of answers) begin()
  expect(socket.listenerCount('close')).toBe(1)
  socket.emit('close')
  for (const { response } of answers) response.emit('close')
  expect(answers.map(({ end }) => end.mock.calls.length)).toEqual(answers.map(() => 1))
})

test.each(['closed', 'destroyed'] as const)('what is over already ends at once: %s', (what) => {
  const socket = new Fake()
  const { response, end, begin } = answerOf(socket)
  response.closed = what === 'closed'
  socket.destroyed = what === 'destroyed'
  begin()
  expect(end).toHaveBeenCalledTimes(1)
})
