import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { embeddingsClient } from '../../../../src/catalog/indexing/embeddings-client.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'

type Asked = { path: string | undefined; model: string; input: string[]; authorization?: string }

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server[Symbol.asyncDispose]()
})

/** A real HTTP server in place of the endpoint. */
async function endpoint(answer: (asked: Asked, response: ServerResponse) => void) {
  const requests: Asked[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { url: path, headers } = request
    const { authorization } = headers
    const asked = { ...JSON.parse(Buffer.concat(parts).toString()), path, authorization }
    requests.push(asked)
    answer(asked, response)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  open.push({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  })
  const { port } = server.address() as AddressInfo
  return { requests, url: `http://127.0.0.1:${port}/v1` }
}

const json = (response: ServerResponse, body: unknown) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body))

/** Each text's vector is its length and 1, the last text first. */
const byLength = ({ input }: Asked, response: ServerResponse) =>
  json(response, {
    data: input.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse(),
  })

const clientOf = (url: string, more: { apiKey?: string; timeLimitMs?: number } = {}) =>
  embeddingsClient({ url, model: 'small', clock: systemClock, ...more })

describe('embeddingsClient', () => {
  it('answers with the vector of each text in order, each of norm 1', async () => {
    const { url, requests } = await endpoint(byLength)
    const vectors = await clientOf(url, { apiKey: 'secret' }).embed(['abc', ''])
    expect(vectors.map((vector) => [...vector])).toEqual([
      [Math.fround(3 / Math.hypot(3, 1)), Math.fround(1 / Math.hypot(3, 1))],
      [0, 1],
    ])
    expect(requests).toEqual([
      expect.objectContaining({
        path: '/v1/embeddings',
        model: 'small',
        input: ['abc', ''],
        authorization: 'Bearer secret',
      }),
    ])
  })

  it('asks for many texts in several requests, and keeps their order', async () => {
    const { url, requests } = await endpoint(byLength)
    const texts = Array.from({ length: 150 }, (_, index) => 'x'.repeat(index))
    const vectors = await clientOf(url).embed(texts)
    expect(requests.map(({ input }) => input.length)).toEqual([64, 64, 22])
    const lengths = vectors.map(([first = 0, second = 0]) => Math.round(first / second))
    expect(lengths).toEqual(texts.map(({ length }) => length))
  })

  it('asks for nothing when there are no texts', async () => {
    const { url, requests } = await endpoint(byLength)
    expect(await clientOf(url).embed([])).toEqual([])
    expect(requests).toEqual([])
  })

  it.each<[string, (asked: Asked, response: ServerResponse) => void, string]>([
    ['refuses', (_, response) => response.writeHead(429).end('secret'), 'answered HTTP 429'],
    ['answers no JSON', (_, response) => response.end('<html>'), 'could be read'],
    ['leaves a text out', (_, response) => json(response, { data: [] }), 'for each text'],
    [
      'answers with zeros',
      (_, response) => json(response, { data: [{ index: 0, embedding: [0, 0] }] }),
      'vector of zeros',
    ],
    [
      'answers with two lengths',
      (_, response) =>
        json(response, {
          data: [
            { index: 0, embedding: [1] },
            { index: 1, embedding: [1, 1] },
          ],
        }),
      'two lengths',
    ],
    [
      'redirects',
      (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      'could be read',
    ],
    ['never answers', () => undefined, 'could be read'],
    ['hangs up', (_, response) => response.destroy(), 'could be read'],
  ])('fails when the endpoint %s', async (_, answer, message) => {
    const { url } = await endpoint(answer)
    const failing = clientOf(url, { apiKey: 'secret', timeLimitMs: 300 }).embed(['a', 'b'])
    await expect(failing).rejects.toMatchObject({
      name: 'EmbeddingsFailure',
      message: expect.stringMatching(new RegExp(`${message}.*\\.$`)),
    })
    await expect(failing).rejects.not.toThrow('secret')
  })

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController()
    const { url } = await endpoint(() => stop.abort(new Error('stopping')))
    await expect(clientOf(url).embed(['a'], stop.signal)).rejects.toThrow('stopping')
  })
})
