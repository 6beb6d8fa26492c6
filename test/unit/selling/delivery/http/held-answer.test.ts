import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AnswerHead } from '../../../../../src/selling/delivery/http/answer.ts'
import type { Delivery } from '../../../../../src/selling/delivery/http/delivery.ts'
import { holdAnswer } from '../../../../../src/selling/delivery/http/node/held-answer.ts'

const MAX_BYTES = 64 * 1_024

/** A server of Node that holds its answers, and a caller that reads when it is told to. */
async function ask(handler: (response: ServerResponse) => unknown) {
  const stored = Promise.withResolvers<void>()
  let head: () => AnswerHead = () => ({ status: 0, headers: [] })
  const delivery = {
    maxAnswerBytes: MAX_BYTES,
    showHeld: (held: typeof head) => {
      head = held
    },
    complete: () => stored.promise,
    completeByReceipt: () => stored.promise,
  }
  const server = createServer((_, response) => {
    holdAnswer(response, delivery as unknown as Delivery)
    void handler(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1' }).end()
  // Of a test that needs no answer.
  sent.on('error', () => undefined)
  const read = async () => {
    const [answer] = await once(sent, 'response')
    let size = 0
    for await (const chunk of answer) size += chunk.length
    return { status: answer.statusCode, size }
  }
  return { stored: () => stored.resolve(), read, head: () => head() }
}

describe('an answer that is held', () => {
  it('is taken up to a limit, and the rest when its caller has read what is held', async () => {
    const CHUNK = Buffer.alloc(16 * 1_024)
    const CHUNKS = 2_000
    let taken = 0
    let mostWaiting = 0
    const { stored, read } = await ask(async (response) => {
      for (let at = 0; at < CHUNKS; at++) {
        taken += CHUNK.length
        if (!response.write(CHUNK)) await once(response, 'drain')
        mostWaiting = Math.max(mostWaiting, response.writableLength)
      }
      response.end()
    })
    await vi.waitUntil(() => taken > MAX_BYTES)
    await new Promise(setImmediate)
    expect(taken).toBeLessThanOrEqual(MAX_BYTES + CHUNK.length)
    stored()
    expect(await read()).toEqual({ status: 200, size: CHUNKS * CHUNK.length })
    expect(mostWaiting).toBeLessThan(CHUNKS * CHUNK.length)
  })

  it('goes on after the store, also where all that is held can be passed on at once', async () => {
    const blocked = Promise.withResolvers<void>()
    const { stored, read } = await ask(async (response) => {
      response.flushHeaders()
      while (response.write('part')) await new Promise(setImmediate)
      blocked.resolve()
      await once(response, 'drain')
      response.end('end')
    })
    const answer = read()
    await blocked.promise
    stored()
    expect((await answer).status).toBe(200)
  })

  it('is shown with what its handler gave to a stock server that holds it too', async () => {
    const { head } = await ask((response) => {
      response.setHeader('x-goods', ['a', 'b'])
      // As the stock middleware does it.
      const { writeHead } = response
      response.writeHead = () => response
      response.writeHead(201, { 'Content-Type': 'text/plain' })
      expect(writeHead).not.toBe(response.writeHead)
    })
    await vi.waitUntil(() => head().status === 201)
    expect(head()).toEqual({
      status: 201,
      headers: [
        ['x-goods', 'a'],
        ['x-goods', 'b'],
        ['content-type', 'text/plain'],
      ],
    })
  })
})
