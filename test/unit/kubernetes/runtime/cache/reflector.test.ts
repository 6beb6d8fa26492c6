import type { ServerResponse } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import {
  createInformer,
  type InformerOptions,
} from '../../../../../src/kubernetes/runtime/cache/informer.ts'
import { Turns } from '../../../../../src/kubernetes/runtime/cache/turns.ts'
import { noKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { type ReceivedRequest, sendJson, sendStatus, startLoopback } from '../support/loopback.ts'
import { type Thing, thing, things } from '../support/objects.ts'
import { half, silentLogger } from '../support/silence.ts'

const patience = { timeout: 120_000, interval: 20 }

const at = (name: string, version: number): Thing => thing(name, { resourceVersion: `${version}` })
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`
const bookmark = (version: number): string =>
  line('BOOKMARK', { kind: 'Thing', metadata: { resourceVersion: `${version}` } })

type Watched = (response: ServerResponse, request: ReceivedRequest) => void

/** A server with scripted lists and watches; it repeats the last of each. */
async function startThings(
  lists: readonly { version: number; items: Thing[] }[],
  watches: readonly Watched[],
) {
  let [listed, watched] = [0, 0]
  return startLoopback((request, response) => {
    if (request.query.get('watch') === null) {
      const { version, items } = lists[Math.min(listed, lists.length - 1)]!
      listed += 1
      sendJson(response, 200, { metadata: { resourceVersion: `${version}` }, items })
      return
    }
    watches[Math.min(watched, watches.length - 1)]!(response, request)
    watched += 1
  })
}

/** Opens the stream, sends these lines, and leaves it open. */
const sends =
  (...lines: readonly string[]): Watched =>
  (response) => {
    response.writeHead(200)
    response.write(lines.join('') || '\n')
  }

const closesAfter =
  (...lines: readonly string[]): Watched =>
  (response) => {
    response.writeHead(200)
    response.end(lines.join(''))
  }

type Server = Awaited<ReturnType<typeof startThings>>

/** Runs an informer against the server. Its sleeps last 5 ms at most. */
function follow(server: Server, options: Partial<InformerOptions<Thing>> = {}) {
  const waits: number[] = []
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => {
      waits.push(ms)
      return systemClock.sleep(Math.min(ms, 5), signal)
    },
  }
  const informer = createInformer<Thing>({
    client: server.client(),
    type: things,
    clock,
    random: half,
    logger: silentLogger,
    ...options,
  })
  const changes: string[] = []
  informer.onChange(({ type, object }, initial) => {
    changes.push(
      `${type} ${object.metadata.name}@${object.metadata.resourceVersion}${initial ? ' initially' : ''}`,
    )
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  const watches = () => server.requests.filter(({ query }) => query.get('watch') === 'true')
  const lists = () => server.requests.filter(({ query }) => query.get('watch') === null)
  return {
    informer,
    changes,
    waits,
    watches,
    lists,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

describe('the reflector', () => {
  test('lists, then reports additions, updates and deletions', async () => {
    await using server = await startThings(
      [{ version: 10, items: [at('a', 5), at('b', 7)] }],
      [
        sends(
          line('MODIFIED', at('a', 11)),
          line('ADDED', at('c', 12)),
          line('DELETED', at('b', 13)),
        ),
      ],
    )
    await using following = follow(server)
    await following.informer.synced
    await vi.waitFor(() => expect(following.changes).toHaveLength(5), patience)

    expect(following.changes).toEqual([
      'added a@5 initially',
      'added b@7 initially',
      'updated a@11',
      'added c@12',
      'deleted b@7',
    ])
    expect([...following.informer.store.values()].map(({ metadata }) => metadata.name)).toEqual([
      'a',
      'c',
    ])
    const [watch] = following.watches()
    expect(Object.fromEntries(watch?.query ?? [])).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '10',
      timeoutSeconds: '450',
    })
  })

  test('shows the number of cached objects after the first list and each event', async () => {
    const counts: number[] = []
    const cachedObjects = { set: (_: unknown, count: number) => counts.push(count) }
    await using server = await startThings(
      [{ version: 10, items: [at('a', 5), at('b', 7)] }],
      [sends(line('DELETED', at('b', 11)))],
    )
    await using following = follow(server, { metrics: { ...noKubeMetrics, cachedObjects } })
    await following.informer.synced
    expect(counts[0]).toBe(2)
    await vi.waitFor(() => expect(counts.at(-1)).toBe(1), patience)
  })

  test('resumes where a bookmark left it, without a new list and without a pause', async () => {
    await using server = await startThings(
      [{ version: 10, items: [] }],
      [closesAfter(bookmark(20)), sends()],
    )
    await using following = follow(server)
    await vi.waitFor(() => expect(following.watches()).toHaveLength(2), patience)

    expect(following.watches()[1]?.query.get('resourceVersion')).toBe('20')
    expect(following.lists()).toHaveLength(1)
    expect(following.waits).toEqual([])
  })

  test.each([
    {
      how: 'as a status',
      gone: (response: ServerResponse) => sendStatus(response, 410, 'Expired'),
    },
    {
      how: 'as an event',
      gone: closesAfter(
        line('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'old' }),
      ),
    },
  ])(
    'lists again when its version is gone, reported $how, and reports the deleted objects',
    async ({ gone }) => {
      await using server = await startThings(
        [
          { version: 10, items: [at('a', 5), at('b', 7)] },
          { version: 30, items: [at('b', 25)] },
        ],
        [gone, sends()],
      )
      await using following = follow(server)
      await vi.waitFor(() => expect(following.watches()).toHaveLength(2), patience)

      expect(following.changes.slice(2)).toEqual(['deleted a@5', 'updated b@25'])
      expect(following.watches()[1]?.query.get('resourceVersion')).toBe('30')
      expect(following.waits).toEqual([])
    },
  )

  test('backs off from a server that always answers gone', async () => {
    await using server = await startThings(
      [{ version: 10, items: [] }],
      [
        closesAfter(
          line('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'old' }),
        ),
      ],
    )
    await using following = follow(server)
    await vi.waitFor(() => expect(following.waits.length).toBeGreaterThan(7), patience)

    expect(following.waits.slice(0, 7)).toEqual([400, 800, 1_600, 3_200, 6_400, 12_800, 15_000])
  })

  test('starts another watch after an unreadable line, and keeps its objects', async () => {
    await using server = await startThings(
      [{ version: 10, items: [at('a', 5)] }],
      [
        sends(line('ADDED', at('b', 11)), '{"type":"ADD'.concat('\n')),
        sends(line('ADDED', at('c', 12))),
      ],
    )
    await using following = follow(server)
    await vi.waitFor(() => expect(following.informer.store.size).toBe(3), patience)

    expect(following.watches()[1]?.query.get('resourceVersion')).toBe('11')
    expect(following.lists()).toHaveLength(1)
  })

  test('ends a stream that sends nothing', async () => {
    const opens: Watched = (response) => {
      response.writeHead(200)
      response.flushHeaders()
    }
    await using server = await startThings(
      [{ version: 10, items: [] }],
      [opens, sends(line('ADDED', at('a', 11)))],
    )
    await using following = follow(server, { idleMs: 50 })
    await vi.waitFor(() => expect(following.informer.store.size).toBe(1), patience)

    expect(following.watches().length).toBeGreaterThanOrEqual(2)
  })

  test('reports a duplicate once', async () => {
    const twice = line('ADDED', at('a', 11))
    await using server = await startThings(
      [{ version: 10, items: [] }],
      [sends(twice, twice, line('ADDED', at('b', 12)))],
    )
    await using following = follow(server)
    await vi.waitFor(() => expect(following.informer.store.size).toBe(2), patience)

    expect(following.changes).toEqual(['added a@11', 'added b@12'])
  })

  test('lists again when events come out of order', async () => {
    await using server = await startThings(
      [
        { version: 10, items: [] },
        { version: 20, items: [at('b', 12)] },
      ],
      [
        sends(line('DELETED', at('a', 13)), line('ADDED', at('a', 11)), line('ADDED', at('c', 14))),
        sends(),
      ],
    )
    await using following = follow(server)
    await vi.waitFor(() => expect(following.lists()).toHaveLength(2), patience)
    await vi.waitFor(() => expect(following.watches()).toHaveLength(2), patience)

    expect([...following.informer.store.values()].map(({ metadata }) => metadata.name)).toEqual([
      'b',
    ])
  })

  test('backs off while the server is down, and keeps its objects', async () => {
    let down = false
    await using server = await startLoopback(({ query }, response) => {
      if (down) return sendStatus(response, 503, 'ServiceUnavailable')
      if (query.get('watch') !== null) {
        down = true
        response.writeHead(200).end()
        return
      }
      sendJson(response, 200, { metadata: { resourceVersion: '10' }, items: [at('a', 5)] })
    })
    await using following = follow(server)
    await vi.waitFor(() => expect(following.waits.length).toBeGreaterThan(8), patience)
    expect(following.informer.store.size).toBe(1)
    expect(Math.max(...following.waits)).toBe(15_000)
    down = false
    const before = following.watches().length
    await vi.waitFor(() => expect(following.watches().length).toBeGreaterThan(before), patience)
  })

  test('waits for the Retry-After of the server', async () => {
    await using server = await startLoopback((_, response) => {
      response.setHeader('retry-after', '7')
      sendStatus(response, 429, 'TooManyRequests')
    })
    await using following = follow(server)
    await vi.waitFor(() => expect(following.waits).not.toHaveLength(0), patience)

    expect(following.waits[0]).toBe(7_000)
  })

  test('reads each of its namespaces', async () => {
    await using server = await startLoopback(({ path, query }, response) => {
      if (query.get('watch') !== null) return sends()(response, server.requests[0]!)
      const namespace = path.split('/')[5] ?? ''
      const items = [thing('a', { namespace })]
      sendJson(response, 200, { metadata: { resourceVersion: '10' }, items })
    })
    await using following = follow(server, { namespaces: ['one', 'two'] })
    await following.informer.synced

    expect(following.informer.store.has('one/a') && following.informer.store.has('two/a')).toBe(
      true,
    )
  })

  test('lists in its turn', async () => {
    await using server = await startThings([{ version: 10, items: [at('a', 5)] }], [sends()])
    const turns = new Turns()
    const before = Promise.withResolvers<void>()
    const begun = turns.run(() => before.promise.then(() => server.requests.length))
    await using following = follow(server, { turns })
    before.resolve()
    await following.informer.synced
    expect(await begun).toBe(0)
    expect(following.lists()).toHaveLength(1)
  })
})
