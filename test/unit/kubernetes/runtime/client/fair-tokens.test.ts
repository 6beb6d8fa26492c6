import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { createApiCaller } from '../../../../../src/kubernetes/runtime/client/api-calls.ts'
import { FairTokens } from '../../../../../src/kubernetes/runtime/client/fair-tokens.ts'
import { noKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const never = new AbortController().signal

function started(burst: number) {
  const clock = new FakeClock()
  const tokens = new FairTokens({ perSecond: 10, burst, clock })
  const order: string[] = []
  const ask = (namespace: string, signal = never) =>
    tokens.take(namespace, signal).then(
      () => void order.push(namespace),
      () => void order.push(`${namespace} left`),
    )
  return { clock, order, ask }
}

test('a namespace that asks without end delays another by one token for each that waits', async () => {
  const { clock, order, ask } = started(2)
  for (let count = 0; count < 50; count++) void ask('hostile')
  await clock.advance(0)
  expect(order).toEqual(['hostile', 'hostile'])
  void ask('honest')
  void ask('other')

  await clock.advance(400)
  expect(order.slice(2)).toEqual(['hostile', 'honest', 'other', 'hostile'])
})

test('takes one token for each that waits, in its order', async () => {
  const { clock, order, ask } = started(1)
  for (const namespace of ['', 'a', 'a', 'b']) void ask(namespace)

  await clock.advance(100)
  expect(order).toEqual(['', 'a'])
  await clock.advance(200)
  expect(order).toEqual(['', 'a', 'b', 'a'])
})

test('whoever leaves takes no token', async () => {
  const { clock, order, ask } = started(1)
  void ask('a')
  const leaving = new AbortController()
  for (let count = 0; count < 20; count++) void ask('b', leaving.signal)
  void ask('c')
  leaving.abort()

  await clock.advance(100)
  expect(order).toEqual(['a', ...Array(20).fill('b left'), 'c'])
  await clock.advance(100)
  void ask('c')
  await clock.advance(0)
  expect(order.at(-1)).toBe('c')
  expect(order).toHaveLength(23)
})

test('a signal that has aborted takes no token', async () => {
  const { clock, order, ask } = started(1)
  void ask('a')
  void ask('b', AbortSignal.abort())
  await clock.advance(100)
  void ask('c')
  await clock.advance(0)

  expect(order).toEqual(['a', 'b left', 'c'])
})

test('a request for a namespace itself takes a token of that namespace', async () => {
  const clock = new FakeClock()
  const sent: string[] = []
  const send = async ({ path }: { readonly path: string }) => {
    sent.push(path)
    return Object.assign(Readable.from(['{}']), { statusCode: 200, headers: {} }) as never
  }
  const connection = { host: 'test', send }
  const limits = { userAgent: 'test', qps: 10, burst: 1, timeoutMs: 60_000 }
  const calls = createApiCaller({ connection, clock, metrics: noKubeMetrics, ...limits })
  const ask = (path: string) => calls.read({ verb: 'get', method: 'GET', resource: 'x', path })
  for (let count = 0; count < 5; count++) void ask('/api/v1/namespaces/hostile')
  const all = ask('/api/v1/nodes')
  await clock.advance(200)
  await all
  expect(sent[2]).toBe('/api/v1/nodes')
})
