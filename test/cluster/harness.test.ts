import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, vi } from 'vitest'
import { type Cluster, restricted, startCluster } from './support/cluster.ts'
import { test } from './support/cluster-test.ts'
import { widgets } from './support/widgets.ts'

const soon = { timeout: 120_000, interval: 50 }
const applyPatch = 'application/apply-patch+yaml'

const podsOf = async (cluster: Cluster, namespace: string) => {
  const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`)
  const items: unknown = body['items']
  return Array.isArray(items) ? items : []
}

const pod = (metadata: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'one', ...metadata },
  spec: { containers: [{ name: 'main', image: 'x' }] },
})

describe('the simulated nodes', () => {
  test('make a Deployment of two available', async ({ fakeNodes: cluster }) => {
    await using namespace = await cluster.namespace('deployment')
    const inIt = ['-n', namespace.name]
    await cluster.kubectl([...inIt, 'create', 'deployment', 'web', '--image=x', '--replicas=2'])
    await vi.waitFor(async () => {
      const path = `/apis/apps/v1/namespaces/${namespace.name}/deployments/web`
      const { body } = await cluster.request('GET', path)
      expect(body['status']).toMatchObject({ availableReplicas: 2, readyReplicas: 2 })
    }, soon)
  })

  test('complete a Job', async ({ fakeNodes: cluster }) => {
    await using namespace = await cluster.namespace('job')
    const inIt = ['-n', namespace.name]
    await cluster.kubectl([...inIt, 'create', 'job', 'once', '--image=x'])
    await cluster.kubectl([
      ...inIt,
      'wait',
      '--for=condition=complete',
      'job/once',
      '--timeout=30s',
    ])
  })

  test('fail every Job of an annotated namespace, with the given message', async ({
    fakeNodes,
  }) => {
    await using namespace = await fakeNodes.namespace('failing', {
      annotations: {
        'fake-node.svc.dev/jobs': 'fail',
        'fake-node.svc.dev/message': 'no such database',
      },
    })
    await fakeNodes.kubectl(['-n', namespace.name, 'create', 'job', 'once', '--image=x'])
    await vi.waitFor(async () => {
      const [first] = await podsOf(fakeNodes, namespace.name)
      expect(first.status).toMatchObject({
        phase: 'Failed',
        containerStatuses: [
          { state: { terminated: { exitCode: 1, message: 'no such database' } } },
        ],
      })
    }, soon)
  })

  test.for([
    { outcome: 'not-ready', phase: 'Running', reason: undefined },
    { outcome: 'crash-loop', phase: 'Running', reason: 'CrashLoopBackOff' },
    { outcome: 'image-pull-error', phase: 'Pending', reason: 'ImagePullBackOff' },
  ])(
    'report a pod as $outcome, and as ready once the annotation is removed',
    async (expected, { fakeNodes }) => {
      await using namespace = await fakeNodes.namespace('outcome', {
        annotations: { 'fake-node.svc.dev/services': expected.outcome },
      })
      const pods = `/api/v1/namespaces/${namespace.name}/pods`
      await fakeNodes.request('POST', pods, { body: pod({}) })
      await vi.waitFor(async () => {
        const [{ status }] = await podsOf(fakeNodes, namespace.name)
        expect(status).toMatchObject({
          phase: expected.phase,
          containerStatuses: [{ ready: false }],
        })
        expect(status.containerStatuses[0].state.waiting?.reason).toBe(expected.reason)
      }, soon)

      await fakeNodes.kubectl(['annotate', 'ns', namespace.name, 'fake-node.svc.dev/services-'])
      await vi.waitFor(async () => {
        const [{ status }] = await podsOf(fakeNodes, namespace.name)
        expect(status).toMatchObject({ phase: 'Running', containerStatuses: [{ ready: true }] })
      }, soon)
    },
  )

  test('leave the status of a pod to the test that runs it, and finish its deletion', async ({
    fakeNodes,
  }) => {
    await using namespace = await fakeNodes.namespace('by-test')
    const pods = `/api/v1/namespaces/${namespace.name}/pods`
    const mine = { ...pod({ labels: { 'svc.dev/run-by': 'test' } }) }
    await fakeNodes.request('POST', pods, { body: mine })
    await fakeNodes.request('POST', pods, { body: pod({ name: 'two' }) })
    await vi.waitFor(async () => {
      const [one, two] = await podsOf(fakeNodes, namespace.name)
      expect([one.status.phase, two.status.phase]).toEqual(['Pending', 'Running'])
      expect(one.spec.nodeName).toMatch(/^fake-/)
    }, soon)

    const status = { phase: 'Running', podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] }
    const patch = { body: { status }, contentType: 'application/strategic-merge-patch+json' }
    expect(await fakeNodes.request('PATCH', `${pods}/one/status`, patch)).toMatchObject({
      status: 200,
      body: { status },
    })
    await fakeNodes.kubectl(['-n', namespace.name, 'delete', 'pod', 'one', '--grace-period=1'])
  })
})

describe('the API server', () => {
  test('checks CEL rules and serves scale and status of a new kind', async ({ cluster }) => {
    const group = `t${randomBytes(4).toString('hex')}.svc.dev`
    await using namespace = await cluster.namespace('crd')
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await cluster.request('POST', crds, { body: widgets(group) })
    await cluster.kubectl(['wait', '--for=condition=established', `crd/widgets.${group}`])
    const all = `/apis/${group}/v1/namespaces/${namespace.name}/widgets`
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'w' } }
    await vi.waitFor(async () => {
      const body = { ...widget, spec: { replicas: 1, colour: 'red' } }
      expect((await cluster.request('POST', all, { body })).status).toBe(201)
    }, soon)

    const merge = { contentType: 'application/merge-patch+json' }
    const repainted = { ...merge, body: { spec: { colour: 'blue' } } }
    const refused = await cluster.request('PATCH', `${all}/w`, repainted)
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('a widget keeps its colour'),
    ])
    await cluster.kubectl(['-n', namespace.name, 'scale', `widgets.${group}/w`, '--replicas=3'])
    const counted = { ...merge, body: { spec: { replicas: 9 }, status: { replicas: 3 } } }
    const { body } = await cluster.request('PATCH', `${all}/w/status`, counted)
    expect(body).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 3 } })
    await cluster.request('DELETE', `${crds}/widgets.${group}`)
  })

  test('refuses to apply a field that another manager owns', async ({ cluster }) => {
    await using namespace = await cluster.namespace('conflict')
    const path = `/api/v1/namespaces/${namespace.name}/configmaps/shared`
    const applyAs = (manager: string, value: string, more = '') =>
      cluster.request('PATCH', `${path}?fieldManager=${manager}${more}`, {
        contentType: applyPatch,
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'shared' },
          data: { colour: value },
        },
      })
    expect((await applyAs('one', 'red')).status).toBe(201)
    expect(await applyAs('two', 'blue')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('conflict with "one": .data.colour') },
    })
    expect((await applyAs('two', 'blue', '&force=true')).status).toBe(200)
  })

  test('refuses unknown fields when validation is strict', async ({ cluster }) => {
    await using namespace = await cluster.namespace('strict')
    const path = `/api/v1/namespaces/${namespace.name}/configmaps?fieldValidation=Strict`
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, colour: 'red' }
    expect(await cluster.request('POST', path, { body })).toMatchObject({
      status: 400,
      text: expect.stringContaining('unknown field'),
    })
  })

  test('refuses an unrestricted pod where the restricted standard is enforced', async ({
    cluster,
  }) => {
    await using namespace = await cluster.namespace('restricted', { labels: restricted })
    const path = `/api/v1/namespaces/${namespace.name}/pods`
    expect(await cluster.request('POST', path, { body: pod({}) })).toMatchObject({
      status: 403,
      text: expect.stringContaining('violates PodSecurity'),
    })
  })
})

describe('a cluster of its own', () => {
  test('stops with its starter, even when that is killed', async ({ fakeNodes: _ }) => {
    const script = join(import.meta.dirname, 'support', 'hold-cluster.ts')
    const holder = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [folder] = await once(createInterface(holder.stdout), 'line')
    expect(await commandsNaming(String(folder))).toHaveLength(4)

    holder.kill('SIGKILL')
    await vi.waitFor(async () => expect(await commandsNaming(String(folder))).toEqual([]), soon)
  })

  test('leaves nothing behind when its own process is killed', async ({ fakeNodes: _ }) => {
    await using cluster = await startCluster()
    process.kill(cluster.pid, 'SIGKILL')

    await vi.waitFor(
      async () => expect(await commandsNaming(dirname(cluster.logFolder))).toEqual([]),
      soon,
    )
  })
})

/** The command lines of all processes that name the text. */
async function commandsNaming(text: string): Promise<readonly string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(
    processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  )
  return commands.filter((command) => command.includes(text))
}
