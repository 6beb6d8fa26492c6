import { expect, test, vi } from 'vitest'
import { createInformer } from '../../../../../src/kubernetes/runtime/cache/informer.ts'
import { createController } from '../../../../../src/kubernetes/runtime/controller/controller.ts'
import { settled } from '../../../../../src/kubernetes/runtime/controller/outcome.ts'
import { noKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { sendJson, sendStatus, startLoopback } from '../support/loopback.ts'
import { type Thing, thing, things } from '../support/objects.ts'
import { half, silentLogger } from '../support/silence.ts'

const patience = { timeout: 120_000, interval: 10 }

/** A server that refuses some namespaces, with one object in each of the others. */
async function startServer(refused: Set<string>) {
  return startLoopback(({ path, query }, response) => {
    const namespace = path.split('/')[5] ?? ''
    if (refused.has(namespace)) return sendStatus(response, 403, 'Forbidden')
    if (query.get('watch') !== null) {
      response.writeHead(200)
      response.write('\n')
      return
    }
    const items = [thing('a', { namespace })]
    sendJson(response, 200, { metadata: { resourceVersion: '10' }, items })
  })
}

function follow(client: Parameters<typeof createInformer>[0]['client']) {
  const samples: string[] = []
  const refusedNamespaces = {
    set: ({ namespace }: Readonly<Record<string, string>>, value: number) => {
      samples.push(`${namespace} ${value}`)
    },
  }
  const warn = vi.fn()
  const logger: typeof silentLogger = Object.assign(Object.create(silentLogger), { warn })
  const options = { clock: new FakeClock(), random: half, logger }
  const informer = createInformer<Thing>({
    ...options,
    client,
    type: things,
    namespaces: ['gone', 'here'],
    metrics: { ...noKubeMetrics, refusedNamespaces },
  })
  const reconciled: string[] = []
  const controller = createController({
    ...options,
    name: 'things',
    primary: informer,
    when: () => true,
    reconcile: async ({ key }) => {
      reconciled.push(key)
      return settled
    },
  })
  const stop = new AbortController()
  const running = Promise.all([informer.run(stop.signal), controller.run({ stop: stop.signal })])
  return {
    ...options,
    informer,
    samples,
    warn,
    reconciled,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

test('a namespace that vanished does not keep the controllers of the others from starting', async () => {
  await using server = await startServer(new Set(['gone']))
  await using following = follow(server.client({ clock: systemClock }))
  await vi.waitFor(() => expect(following.reconciled).toEqual(['here/a']), patience)
  expect(following.samples).toEqual(['gone 1'])
  expect(following.informer.isRefused('gone')).toBe(true)
  expect(following.informer.isRefused('here')).toBe(false)
})

test('a namespace that stays away costs one warning, and after a while a request a minute', async () => {
  await using server = await startServer(new Set(['gone']))
  await using following = follow(server.client({ clock: systemClock }))
  const asked = () => server.requests.filter(({ path }) => path.includes('/gone/')).length
  await vi.waitFor(() => expect(following.samples).toEqual(['gone 1']), patience)
  for (let tries = 2; tries <= 6; tries++) {
    await following.clock.advance(30_000)
    await vi.waitFor(() => expect(asked()).toBe(tries), patience)
  }
  await following.clock.advance(59_000)
  expect(asked()).toBe(6)
  await following.clock.advance(1_000)
  await vi.waitFor(() => expect(asked()).toBe(7), patience)
  expect(following.warn).toHaveBeenCalledTimes(1)
})

test('a namespace that comes back is reconciled again', async () => {
  const refused = new Set(['gone'])
  await using server = await startServer(refused)
  await using following = follow(server.client({ clock: systemClock }))
  await vi.waitFor(() => expect(following.reconciled).toEqual(['here/a']), patience)
  refused.clear()
  await following.clock.advance(60_000)
  await vi.waitFor(
    () => expect(following.reconciled.toSorted()).toEqual(['gone/a', 'here/a']),
    patience,
  )
  expect(following.samples).toEqual(['gone 1', 'gone 0'])
})

test('nothing is reconciled in a namespace that one of several caches cannot see', async () => {
  await using all = await startServer(new Set())
  await using some = await startServer(new Set(['gone']))
  await using following = follow(all.client({ clock: systemClock }))
  await following.informer.synced
  await using other = follow(some.client({ clock: systemClock }))
  await vi.waitFor(() => expect(other.informer.isRefused('gone')).toBe(true), patience)
  const reconciled: string[] = []
  const controller = createController({
    clock: following.clock,
    random: half,
    logger: silentLogger,
    name: 'both',
    primary: following.informer,
    when: () => true,
    reconcile: async ({ key }) => {
      reconciled.push(key)
      return settled
    },
  })
  controller.watch(other.informer, { to: () => [] })
  const stop = new AbortController()
  const running = controller.run({ stop: stop.signal })
  await vi.waitFor(() => expect(reconciled).toEqual(['here/a']), patience)
  stop.abort()
  await running
})

test('an operator that may see no namespace at all does not count as synced', async () => {
  await using server = await startServer(new Set(['gone', 'here']))
  await using following = follow(server.client({ clock: systemClock }))
  let isSynced = false
  void following.informer.synced.then(() => {
    isSynced = true
  })
  await vi.waitFor(
    () => expect(following.samples.toSorted()).toEqual(['gone 1', 'here 1']),
    patience,
  )
  expect(isSynced).toBe(false)
})
