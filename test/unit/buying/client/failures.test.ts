import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ApiError, explorerClient, facilitatorClient } from '../../../../src/package/client.ts'

/** The base URL of a server that answers every request alike. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answers =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body)
  }

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

test('a refusal of a facilitator has its code, its reason and when to try again', async () => {
  const error = { code: 'rate_limited', reason: 'too many requests', retryable: true }
  const url = await serve(answers(429, JSON.stringify({ error }), { 'retry-after': '7' }))
  expect(await failureOf(facilitatorClient({ url }).health())).toMatchObject({
    ...{ name: 'ApiError', message: 'too many requests', code: 'rate_limited' },
    ...{ status: 429, retryable: true, retryAfter: 7 },
  })
})

test('a refusal of an explorer has its details', async () => {
  const details = { parameter: 'window', value: '1h' }
  const body = { code: 'explorer_invalid_query', reason: 'wrong', retryable: false, details }
  const url = await serve(answers(400, JSON.stringify(body)))
  expect(await failureOf(explorerClient({ url }).stats())).toMatchObject({
    ...{ code: 'explorer_invalid_query', status: 400, retryable: false, details },
    retryAfter: undefined,
  })
})

test.each([
  { status: 200, body: '<html>', retryable: false },
  { status: 200, body: 'null', retryable: false },
  { status: 404, body: '{"message":"no such route"}', retryable: false },
  { status: 429, body: '', retryable: true },
  { status: 502, body: '<html>', retryable: true },
])('HTTP $status with "$body" is no answer of the API', async ({ status, body, retryable }) => {
  const url = await serve(answers(status, body, { 'retry-after': 'Sat, 21 Nov 2026 07:28:00 GMT' }))
  expect(await failureOf(facilitatorClient({ url }).health())).toMatchObject({
    ...{ code: 'unexpected_answer', status, retryable, retryAfter: undefined },
    message: `${new URL(url).host} answered HTTP ${status}, and not as this API does`,
  })
})

test('a service that does not listen is unreachable', async () => {
  const failure = await failureOf(facilitatorClient({ url: 'http://127.0.0.1:1' }).health())
  expect(failure).toMatchObject({ code: 'unreachable', retryable: true, status: undefined })
  expect(failure.message).toMatch(/^127\.0\.0\.1:1 did not answer: ./)
})

test('an answer that breaks off is unreachable too', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{', () => response.destroy())
  })
  expect(await failureOf(facilitatorClient({ url }).health())).toMatchObject({
    code: 'unreachable',
  })
})

test('a redirect is not followed, so that no other server gets the key', async () => {
  const asked: string[] = []
  const other = await serve((request, response) => {
    asked.push(request.url ?? '')
    response.end('{}')
  })
  const url = await serve(answers(307, '', { location: other }))
  const client = facilitatorClient({ url, apiKey: 'svc_secret' })
  expect((await failureOf(client.usage())).code).toBe('unreachable')
  expect(asked).toEqual([])
})

test('a key is sent with every request, and only a key', async () => {
  const seen: unknown[] = []
  const url = await serve((request, response) => {
    seen.push(request.headers.authorization)
    response.end('{}')
  })
  await facilitatorClient({ url, apiKey: 'svc_secret' }).usage()
  await facilitatorClient({ url }).supported()
  expect(seen).toEqual(['Bearer svc_secret', undefined])
})

test('a larger answer than the limit is not read', async () => {
  let open = true
  const url = await serve((_request, response) => {
    const more = () => response.write('x'.repeat(1_000), () => open && more())
    response.on('close', () => {
      open = false
    })
    more()
  })
  const failure = await failureOf(facilitatorClient({ url, maxBytes: 10_000 }).health())
  expect(failure).toMatchObject({ code: 'answer_too_large', retryable: false, status: 200 })
})

test('an answer of as many bytes as the limit is read', async () => {
  const body = JSON.stringify({ text: 'é'.repeat(100) })
  const url = await serve(answers(200, body))
  const client = (maxBytes: number) => facilitatorClient({ url, maxBytes })
  const bytes = Buffer.byteLength(body)
  expect(await client(bytes).health()).toEqual(JSON.parse(body))
  expect((await failureOf(client(bytes - 1).health())).code).toBe('answer_too_large')
})

test.each(['of the call', 'of the client'])('the signal %s ends a request', async (whose) => {
  const ending = new AbortController()
  const url = await serve((_request, response) => {
    response.writeHead(200)
    response.write('{', () => ending.abort(new Error('no longer wanted')))
  })
  const { signal } = ending
  const ofClient = whose === 'of the client'
  const client = explorerClient({ url, ...(ofClient && { signal }) })
  const call = client.stats({}, ofClient ? {} : { signal })
  await expect(call).rejects.toThrow('no longer wanted')
})
