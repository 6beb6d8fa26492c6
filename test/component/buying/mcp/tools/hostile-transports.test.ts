import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sellers } from '../../../../../src/buying/mcp/seller/sellers.ts'
import { type SellerHttp, SellerTooSlow } from '../../../../../src/buying/seller/seller-http.ts'
import { AnswerTooLarge } from '../../../../../src/platform/core/errors/read-answer.ts'
import {
  type Raw,
  type StockSeller,
  servePaidTool,
} from '../../../../support/stock/paid-mcp-server.ts'

/* Servers that send more than is read, or no answer: programs on standard input and output, and over HTTP. */

const program = fileURLToPath(new URL('hostile-program.ts', import.meta.url))
const manners = ['long', 'endless', 'noise', 'silent', 'ends', 'another-id', 'honest'] as const

let http: SellerHttp
beforeAll(() => {
  const servers = manners.map(
    (how) => [how, { command: process.execPath, args: [program, how.replace('-', ' ')] }] as const,
  )
  http = sellers({ servers: new Map(servers) })
})
afterAll(() => http?.[Symbol.asyncDispose]())

/** Of a call for a price. @param timeLimitMs long enough for a program to start on a loaded machine */
const send = (how: (typeof manners)[number], timeLimitMs = 60_000) =>
  http.send({ url: `mcp+stdio://${how}#forecast`, body: '{}' }, { timeLimitMs, maxBytes: 65_536 })

test('a program that answers honestly is heard', async () => {
  expect(Buffer.from((await send('honest')).body).toString()).toBe('sunny')
})

describe('a program that', () => {
  test.each([
    ['answers more than the call reads', 'long', '65536 bytes'],
    ['sends a message without an end', 'endless', '8388608 bytes'],
  ] as const)('%s is not read on', async (_, how, most) => {
    const failed = await send(how).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(AnswerTooLarge)
    expect(failed).toMatchObject({ message: `the answer has more than ${most}` })
    // The next call is made of a program that still runs, or of a new one.
    await expect(send(how)).rejects.toThrow(AnswerTooLarge)
  })

  test('sends what is no message, answers under another id, or not at all, has no longer than the call', async () => {
    const sent = (['noise', 'another-id', 'silent'] as const).map((how) => send(how, 3_000))
    for (const answer of sent) await expect(answer).rejects.toThrow(SellerTooSlow)
  })

  test('ends within the call is an error', async () => {
    await expect(send('ends')).rejects.toThrow()
  })
})

/** Of servers that are asked for nothing that they would have to sell. */
const nothing: StockSeller = {
  required: () => Promise.reject(new Error('no price')),
  sell: () => Promise.reject(new Error('no sale')),
}

test('a server over HTTP that answers under another id, or not at all, has no longer than the call', async () => {
  const answering = (id: (asked: number) => unknown): Raw => {
    return (_, response, body) => {
      const asked = JSON.parse(body || '{}')
      if (asked.method !== 'tools/call') return false
      const result = { resultType: 'complete', content: [{ type: 'text', text: 'sunny' }] }
      const answer = { jsonrpc: '2.0', id: id(asked.id), result }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      return true
    }
  }
  const rows: readonly Raw[] = [
    (_, __, body) => body.includes('"tools/call"'),
    answering((id) => id + 1_000),
    answering((id) => `${id}th`),
  ]
  await using opened = new AsyncDisposableStack()
  const sent: Promise<unknown>[] = []
  for (const raw of rows) {
    const server = opened.use(await servePaidTool(nothing, { raw }))
    const limits = { timeLimitMs: 3_000, maxBytes: 65_536 }
    sent.push(http.send({ url: server.url, body: '{}' }, limits).catch((error: unknown) => error))
  }
  for (const answer of sent) expect(await answer).toBeInstanceOf(SellerTooSlow)
})
