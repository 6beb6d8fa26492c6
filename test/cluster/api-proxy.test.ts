import { type Agent, request } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'
import { describe, expect, vi } from 'vitest'
import { type ApiProxy, startApiProxy } from './support/api-proxy.ts'
import { type Cluster, connectCluster } from './support/cluster.ts'
import { test as plain } from './support/cluster-test.ts'

const soon = { timeout: 120_000, interval: 20 }

interface Line {
  readonly type: string
  readonly object: { readonly metadata: { readonly name?: string }; readonly code?: number }
}

interface OpenWatch extends Disposable {
  /** The lines so far; those that are not JSON as text. */
  readonly lines: readonly (Line | string)[]
  readonly names: readonly (string | undefined)[]
  readonly isClosed: boolean
}

interface Place {
  readonly proxy: ApiProxy
  /** Connects through the proxy. */
  readonly proxied: Cluster
  /** ConfigMaps of a namespace of its own. */
  readonly path: string
  create(name: string): Promise<void>
  watch(query?: string): Promise<OpenWatch>
}

const test = plain.extend<{ place: Place }>({
  place: async ({ cluster }, use) => {
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    await using namespace = await cluster.namespace('proxy')
    const proxied = await connectCluster(proxy.kubeconfigPath)
    const path = `/api/v1/namespaces/${namespace.name}/configmaps`
    await use({
      proxy,
      proxied,
      path,
      create: async (name) => {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
        expect((await cluster.request('POST', path, { body })).status).toBe(201)
      },
      // The controllers create a ConfigMap in each namespace.
      watch: async (query = '') =>
        openWatch(
          proxy.kubeconfigPath,
          `${path}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt&${query}`,
        ),
    })
  },
})

/** Resolves at the head of the answer. */
async function openWatch(kubeconfigPath: string, path: string): Promise<OpenWatch> {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfigPath)
  const options: { agent?: Agent } = {}
  await config.applyToHTTPSOptions(options)
  const lines: (Line | string)[] = []
  let isClosed = false
  const outgoing = request(`${config.getCurrentCluster()?.server}${path}`, options)
  outgoing.once('close', () => {
    isClosed = true
  })
  outgoing.on('error', () => undefined)
  const opened = new Promise<void>((resolve) => {
    outgoing.once('response', (response) => {
      let rest = ''
      response.on('error', () => undefined)
      response.on('data', (part) => {
        const parts = `${rest}${part}`.split('\n')
        rest = parts.pop() ?? ''
        lines.push(...parts.map(read))
      })
      resolve()
    })
  })
  outgoing.end()
  await opened
  return {
    lines,
    get names() {
      return lines.map(nameOf)
    },
    get isClosed() {
      return isClosed
    },
    [Symbol.dispose]: () => outgoing.destroy(),
  }
}

function read(line: string): Line | string {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

const nameOf = (line: Line | string) =>
  typeof line === 'string' ? line : line.object.metadata.name

describe('the proxy in front of the API server', () => {
  test('records each request with its size', async ({ place }) => {
    const { proxy, proxied, path } = place
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }
    await proxied.request('PATCH', `${path}/x?fieldManager=me`, {
      body,
      contentType: 'application/apply-patch+yaml',
      headers: { 'user-agent': 'tester/1' },
    })
    const { text } = await proxied.request('GET', path)

    expect(proxy.calls).toMatchObject([
      {
        verb: 'patch',
        apiGroup: '',
        resource: 'configmaps',
        name: 'x',
        userAgent: 'tester/1',
        fieldManager: 'me',
        contentType: 'application/apply-patch+yaml',
        status: 201,
        requestBytes: JSON.stringify(body).length,
      },
      { verb: 'list', status: 200, responseBytes: text.length },
    ])
  })

  test('acts as the user of a token', async ({ place, cluster }) => {
    const [, , , , namespace = ''] = place.path.split('/')
    const token = await cluster.kubectl(['-n', namespace, 'create', 'token', 'default'])
    const kubeconfigPath = await place.proxy.kubeconfigFor(token.trim())
    const who = await cluster.kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfigPath })
    const owner = await cluster.kubectl(['auth', 'whoami', '-o', 'json'], {
      kubeconfigPath: place.proxy.kubeconfigPath,
    })

    expect(who).toContain(`system:serviceaccount:${namespace}:default`)
    expect(owner).not.toContain('system:serviceaccount')
  })

  test('answers a share of the requests with a status, until healed', async ({ place }) => {
    const { proxy, proxied, path } = place
    const fault = proxy.fail(
      { kind: 'status', status: 429, retryAfterSeconds: 5 },
      { verbs: ['list'], resources: ['configmaps'], share: 0.25 },
    )
    const answers = []
    for (let index = 0; index < 8; index += 1) answers.push(await proxied.request('GET', path))
    fault.heal()
    const after = await proxied.request('GET', path)

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 200, 200, 200, 429])
    expect(answers[3]).toMatchObject({
      headers: { 'retry-after': '5' },
      body: { kind: 'Status', reason: 'TooManyRequests', code: 429 },
    })
    expect(after.status).toBe(200)
    expect(proxy.calls[3]).toMatchObject({ status: 429, fault: 'status' })
  })

  test('answers a given number of writes with a conflict', async ({ place }) => {
    const { proxy, proxied, path, create } = place
    await create('x')
    proxy.fail({ kind: 'status', status: 409 }, { verbs: ['update', 'patch'], times: 2 })
    const patch = { body: { data: { a: 'b' } }, contentType: 'application/merge-patch+json' }
    const statuses = []
    for (let index = 0; index < 3; index += 1) {
      statuses.push((await proxied.request('PATCH', `${path}/x`, patch)).status)
      statuses.push((await proxied.request('GET', `${path}/x`)).status)
    }

    expect(statuses).toEqual([409, 200, 409, 200, 200, 200])
  })

  test('refuses connections, and accepts them again', async ({ place }) => {
    const { proxy, proxied, path } = place
    using watch = await place.watch()
    proxy.refuse()
    await expect(proxied.request('GET', path)).rejects.toThrow(/ECONNRESET|hang up|disconnected/)
    await vi.waitFor(() => expect(watch.isClosed).toBe(true), soon)
    proxy.accept()

    expect((await proxied.request('GET', path)).status).toBe(200)
  })

  test('delays requests, and loses requests and answers', async ({ place, cluster }) => {
    const { proxy, proxied, path } = place
    const hanging = proxy.fail({ kind: 'hang' }, { verbs: ['list'] })
    const answer = proxied.request('GET', path).then(
      () => 'answered',
      () => 'cut off',
    )
    await vi.waitFor(() => expect(proxy.calls).toMatchObject([{ fault: 'hang' }]), soon)
    hanging.heal()
    expect((await proxied.request('GET', path)).status).toBe(200)
    expect(proxy.calls[0]?.status).toBeUndefined()

    proxy.fail({ kind: 'lose answer' }, { verbs: ['create'], times: 1 })
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'lost' } }
    await expect(proxied.request('POST', path, { body })).rejects.toThrow()
    expect((await cluster.request('GET', `${path}/lost`)).status).toBe(200)

    proxy.fail({ kind: 'slow', seconds: 0.3 }, { times: 1 })
    const before = performance.now()
    expect((await proxied.request('GET', path)).status).toBe(200)
    expect(performance.now() - before).toBeGreaterThan(290)
    proxy.refuse()
    expect(await answer).toBe('cut off')
  })

  test('ends an open watch and the next one with 410', async ({ place }) => {
    using open = await place.watch()
    place.proxy.fail({ kind: 'gone' }, { resources: ['configmaps'], times: 2 })
    using next = await place.watch()
    using third = await place.watch()
    await place.create('x')

    await vi.waitFor(() => {
      expect([open.isClosed, next.isClosed]).toEqual([true, true])
      expect(third.names).toEqual(['x'])
    }, soon)
    expect(open.lines).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
    expect(third.isClosed).toBe(false)
  })

  test('sends garbage in a watch and continues', async ({ place }) => {
    using watch = await place.watch()
    place.proxy.fail({ kind: 'garbage line' })
    await place.create('x')

    await vi.waitFor(() => expect(watch.names).toEqual(['this line is not JSON', 'x']), soon)
  })

  test('leaves a watch half open: silent and not closed', async ({ place }) => {
    using silent = await place.watch()
    const fault = place.proxy.fail({ kind: 'half-open' })
    fault.heal()
    using witness = await place.watch()
    await place.create('x')

    await vi.waitFor(() => expect(witness.names).toEqual(['x']), soon)
    expect([silent.lines, silent.isClosed]).toEqual([[], false])
  })

  test('ends a watch', async ({ place }) => {
    using watch = await place.watch()
    place.proxy.fail({ kind: 'end' })

    await vi.waitFor(() => expect(watch.isClosed).toBe(true), soon)
  })

  test.for([
    { kind: 'duplicate', sent: ['a', 'a', 'b', 'b', 'after'] },
    { kind: 'reorder', sent: ['b', 'a', 'after'] },
    { kind: 'bookmarks only', sent: ['after'] },
  ] as const)(
    'sends the events of a watch as $kind until healed',
    async ({ kind, sent }, { place }) => {
      using witness = await place.watch()
      const fault = place.proxy.fail({ kind }, { times: 1 })
      using next = await place.watch()
      await place.create('a')
      await place.create('b')
      await vi.waitFor(() => expect(next.names).toEqual(['a', 'b']), soon)
      await vi.waitFor(() => expect(witness.names).toEqual(sent.slice(0, -1)), soon)
      fault.heal()
      await place.create('after')

      await vi.waitFor(() => expect(witness.names).toEqual(sent), soon)
    },
  )

  test('forwards bookmarks when it drops other events', async ({ place }) => {
    place.proxy.fail({ kind: 'bookmarks only' })
    // The end of the initial events is a bookmark.
    using watch = await place.watch(
      'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan',
    )
    await vi.waitFor(() => expect(watch.lines).toMatchObject([{ type: 'BOOKMARK' }]), soon)
  })
})
