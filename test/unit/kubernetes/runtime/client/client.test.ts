import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  isKubeError,
  type KubeErrorKind,
} from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import { metadataOf } from '../../../../../src/kubernetes/runtime/objects/metadata-only.ts'
import { type ReceivedRequest, sendJson, sendStatus, startLoopback } from '../support/loopback.ts'
import { type Thing, thing, things } from '../support/objects.ts'

const name = { namespace: 'ns', name: 'a' }
const desired = { apiVersion: 'test.dev/v1', kind: 'Thing', metadata: name, spec: { size: 1 } }

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )

describe('the client', () => {
  test.each<{ status: number; reason: string; kind: KubeErrorKind }>([
    { status: 409, reason: 'AlreadyExists', kind: 'conflict' },
    { status: 410, reason: 'Expired', kind: 'gone' },
    { status: 404, reason: 'NotFound', kind: 'notFound' },
    { status: 422, reason: 'Invalid', kind: 'invalid' },
    { status: 400, reason: 'BadRequest', kind: 'invalid' },
    { status: 403, reason: 'Forbidden', kind: 'forbidden' },
    { status: 401, reason: 'Unauthorized', kind: 'forbidden' },
    { status: 429, reason: 'TooManyRequests', kind: 'throttled' },
    { status: 500, reason: 'InternalError', kind: 'unavailable' },
    { status: 503, reason: 'ServiceUnavailable', kind: 'unavailable' },
  ])('reports $status $reason as $kind', async ({ status, reason, kind }) => {
    await using server = await startLoopback((_, response) => sendStatus(response, status, reason))
    const error = await failure(server.client().get(things, name))

    expect(error).toMatchObject({ name: 'KubeError', kind, status, reason })
  })

  test('passes on the Retry-After of the server', async () => {
    await using server = await startLoopback((_, response) => {
      response.setHeader('retry-after', '5')
      sendStatus(response, 429, 'TooManyRequests')
    })

    expect(await failure(server.client().get(things, name))).toMatchObject({ retryAfterMs: 5_000 })
  })

  test('reports an answer that is not JSON, and a missing one, as transport', async () => {
    await using server = await startLoopback(({ query }, response) => {
      if (query.size === 0) response.end('<html>')
      else response.destroy()
    })
    const client = server.client()

    expect(await failure(client.get(things, name))).toMatchObject({ kind: 'transport' })
    expect(await failure(client.list(things))).toMatchObject({ kind: 'transport', status: 0 })
  })

  test('reports an answer that breaks off as incomplete, not as a wrong format', async () => {
    await using server = await startLoopback((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"kind":')
      void pause(20).then(() => response.destroy())
    })

    expect(await failure(server.client().get(things, name))).toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('got an incomplete answer'),
    })
  })

  test('leaves headers, queries and bodies out of its errors', async () => {
    await using server = await startLoopback((_, response) => sendStatus(response, 422, 'Invalid'))
    const secret = { ...desired, spec: { password: 'hunter2' } }
    const error = await failure(server.client().apply(things, secret))

    expect(String(error)).toContain('PATCH /apis/test.dev/v1/namespaces/ns/things/a answered 422')
    expect(JSON.stringify(error) + String(error)).not.toMatch(/hunter2|let-me-in/)
  })

  test('sends the method, headers and query of server-side apply', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 201, thing('a')))
    const client = server.client()
    const applied = await client.apply(things, desired)
    await client.applyStatus(things, { ...desired, status: {} })

    expect(applied).toEqual({ object: thing('a'), created: true })
    const [first, second] = server.requests as [ReceivedRequest, ReceivedRequest]
    expect(first).toMatchObject({
      method: 'PATCH',
      path: '/apis/test.dev/v1/namespaces/ns/things/a',
      headers: {
        'content-type': 'application/apply-patch+yaml',
        authorization: 'Bearer let-me-in',
        'user-agent': 'tests',
      },
      body: JSON.stringify(desired),
    })
    expect(Object.fromEntries(first.query)).toEqual({
      fieldManager: 'tester',
      force: 'true',
      fieldValidation: 'Strict',
    })
    expect(second.path).toBe('/apis/test.dev/v1/namespaces/ns/things/a/status')
    expect(second.query.get('fieldManager')).toBe('tester-status')
  })

  test('deletes the object with the given uid, and returns false when there is none', async () => {
    await using server = await startLoopback(({ path }, response) =>
      path.endsWith('/a') ? sendJson(response, 200, {}) : sendStatus(response, 404, 'NotFound'),
    )
    const client = server.client()

    expect(await client.delete(things, name, { uid: 'u' })).toBe(true)
    expect(await client.delete(things, { ...name, name: 'b' })).toBe(false)
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      preconditions: { uid: 'u' },
    })
  })

  test('reads a list page by page, and begins again when a later page is gone', async () => {
    let expiries = 0
    await using server = await startLoopback(({ query }, response) => {
      const page = Number(query.get('continue') ?? '0')
      if (page === 1 && expiries > 0) {
        expiries -= 1
        return sendStatus(response, 410, 'Expired')
      }
      const metadata = { resourceVersion: '9', ...(page < 1 ? { continue: '1' } : {}) }
      sendJson(response, 200, { metadata, items: [{ metadata: { name: `${page}` } }] })
    })
    const client = server.client()
    const names = async (options: object = {}) =>
      (await client.list(things, options)).items.map(({ metadata }) => metadata.name)
    const first = await client.list(things, { namespace: 'ns', labelSelector: 'x=y' })
    expiries = 2
    const again = await names()
    expiries = 3
    const error = await failure(names())

    expect(first.resourceVersion).toBe('9')
    expect(first.items[1]).toMatchObject({
      apiVersion: 'test.dev/v1',
      kind: 'Thing',
      metadata: { name: '1' },
    })
    expect(again).toEqual(['0', '1'])
    expect(error).toMatchObject({ kind: 'gone' })
    expect(server.requests[1]?.query.get('labelSelector')).toBe('x=y')
    expect(server.requests.map(({ query }) => query.get('limit'))).toEqual(Array(14).fill('50'))
  })

  test('transforms each object of a page while the page arrives', async () => {
    const rest = Promise.withResolvers<void>()
    await using server = await startLoopback((_, response) => {
      response.write(`{"metadata":{"resourceVersion":"9"},"items":[${JSON.stringify(thing('a'))},`)
      void rest.promise.then(() => response.end(`${JSON.stringify(thing('b'))}]}`))
    })
    const seen: string[] = []
    const transform = (object: Thing): Thing => {
      seen.push(object.metadata.name)
      rest.resolve()
      return object
    }
    const { items } = await server.client().list(things, { transform })
    expect(seen).toEqual(['a', 'b'])
    expect(items).toHaveLength(2)
  })

  test.each([
    ['ends early', '{"metadata":{},"items":[{"metadata":{}},{"met'],
    ['has no JSON', 'no list'],
    ['has an object that is not JSON', '{"metadata":{},"items":[{a}]}'],
  ])('reports a list that %s', async (_, text) => {
    await using server = await startLoopback((__, response) => response.end(text))
    expect(await failure(server.client().list(things))).toMatchObject({ kind: 'transport' })
  })

  test('accepts nothing but metadata of a kind that it reads without content', async () => {
    await using server = await startLoopback(({ query }, response) => {
      if (query.has('watch')) response.end()
      else if (query.has('limit'))
        sendJson(response, 200, { metadata: {}, items: [{ metadata: name }] })
      else sendStatus(response, 406, 'NotAcceptable')
    })
    const [client, type] = [server.client(), metadataOf(things)]
    const refused = await failure(client.get(type, name))
    const { items } = await client.list(type, { fieldSelector: 'type!=x' })
    const limits = { resourceVersion: '1', timeoutSeconds: 1, idleMs: 1_000 }
    for await (const _ of await client.watch(type, { ...limits, fieldSelector: 'type!=x' }));

    expect(refused).toMatchObject({ kind: 'invalid', status: 406 })
    expect(items).toEqual([{ apiVersion: 'test.dev/v1', kind: 'Thing', metadata: name }])
    const partial = 'application/json;as=PartialObjectMetadata'
    expect(server.requests.map(({ headers }) => headers.accept)).toEqual([
      `${partial};g=meta.k8s.io;v=v1`,
      `${partial}List;g=meta.k8s.io;v=v1`,
      `${partial};g=meta.k8s.io;v=v1`,
    ])
    expect(server.requests.map(({ query }) => query.get('fieldSelector'))).toEqual([
      null,
      'type!=x',
      'type!=x',
    ])
  })

  test('gives up on a server that hangs, and at once when the caller aborts', async () => {
    await using server = await startLoopback(() => undefined)
    const client = server.client()
    const late = await failure(client.get(things, name, { timeoutMs: 50 }))
    const aborting = new AbortController()
    const aborted = failure(client.get(things, name, { signal: aborting.signal }))
    await pause(20)
    aborting.abort(new Error('enough'))

    expect(late).toMatchObject({ kind: 'transport' })
    expect(String(late)).toContain('took over 50 ms')
    expect(String(await aborted)).toBe('Error: enough')
  })

  test('waits for its own rate limit', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 200, thing('a')))
    const waits: number[] = []
    const { systemClock } = await import('../../../../../src/platform/core/time/clock.ts')
    const clock = { ...systemClock, sleep: async (ms: number) => void waits.push(ms) }
    const client = server.client({ clock, qps: 1, burst: 2 })
    for (const _ of [1, 2, 3, 4]) await client.get(things, name)

    expect(waits).toHaveLength(2)
    expect(waits[0]).toBeGreaterThan(0)
  })

  test('makes no call wait for one that was aborted while it waited for the rate limit', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 200, thing('a')))
    const { systemClock } = await import('../../../../../src/platform/core/time/clock.ts')
    const waits: number[] = []
    let ending: AbortController | undefined
    const sleep = async (ms: number, signal?: AbortSignal) => {
      waits.push(ms)
      ending?.abort(new Error('enough'))
      signal?.throwIfAborted()
    }
    const client = server.client({
      clock: { ...systemClock, monotonic: () => 0, sleep },
      qps: 1,
      burst: 1,
    })
    await client.get(things, name)
    for (const _ of [1, 2, 3]) {
      ending = new AbortController()
      await expect(client.get(things, name, { signal: ending.signal })).rejects.toThrow('enough')
    }
    ending = undefined
    await client.get(things, name)

    expect(waits).toEqual([1_000, 1_000, 1_000, 1_000])
  })

  test('refuses an object without the namespace it needs', async () => {
    await using server = await startLoopback(() => undefined)

    expect(() => server.client().get(things, { name: 'a' })).toThrow('Thing a needs a namespace')
  })
})

test('isKubeError selects errors by kind', () => {
  expect(isKubeError(new Error('x'))).toBe(false)
})
