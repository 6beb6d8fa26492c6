import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { kubectl } from '../../cluster/support/tools.ts'
import { connectNodes, type RealCluster } from '../support/node.ts'
import { hungryPod, serverPod, smokeObjects } from '../support/smoke-objects.ts'

describe('two real nodes', () => {
  let cluster: RealCluster
  let namespace: { readonly name: string } & AsyncDisposable
  let addresses: Readonly<Record<string, string>>
  const inNamespace = (...args: readonly string[]) =>
    cluster.kubectl(['--namespace', namespace.name, ...args])
  /** Runs a program in the pod `one`. */
  const evaluated = (program: string) => inNamespace('exec', 'one', '--', 'node', '-e', program)
  const get = (url: string) => evaluated(`fetch('${url}').then((r) => r.text()).then(console.log)`)
  const looked = (name: string) =>
    evaluated(`require('node:dns').lookup('${name}', { all: true }, (error, found) =>
      console.log(JSON.stringify(error ? error.code : found.map((each) => each.address).sort())))`)

  beforeAll(async () => {
    cluster = await connectNodes(inject('nodes'))
    namespace = await cluster.namespace('smoke')
    const items = [...smokeObjects, serverPod('one', 'n1'), serverPod('two', 'n2')]
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
    await cluster.kubectl(['--namespace', namespace.name, 'apply', '-f', '-'], { input })
    await inNamespace('wait', '--for=condition=Ready', 'pod/one', 'pod/two', '--timeout=120s')
    const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace.name}/pods`)
    const pods = body['items'] as { metadata: { name: string }; status: { podIP: string } }[]
    addresses = Object.fromEntries(
      pods.map(({ metadata, status }) => [metadata.name, status.podIP]),
    )
  })
  afterAll(async () => namespace[Symbol.asyncDispose]())

  test('a pod on one node reaches a pod on the other with its own address', async () => {
    expect(await get(`http://${addresses['two']}:8080`)).toBe(`two ${addresses['one']}\n`)
    expect(addresses['one']).toMatch(/^10\.244\.1\./)
    expect(addresses['two']).toMatch(/^10\.244\.2\./)
  })

  test('a pod reaches a Service by its names, on a port that is not that of the pod', async () => {
    for (const name of ['web', `web.${namespace.name}`, `web.${namespace.name}.svc.cluster.local`])
      expect(await get(`http://${name}`)).toBe(`two ${addresses['one']}\n`)
  })

  test('a headless Service has the addresses of its pods, and each pod its name', async () => {
    expect(JSON.parse(await looked('all'))).toEqual(Object.values(addresses).sort())
    expect(JSON.parse(await looked(`two.all.${namespace.name}`))).toEqual([addresses['two']])
  })

  test('a name outside of the cluster is refused', async () => {
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(JSON.parse(await looked('registry.example')))
  })

  test('a process on the nodes and a machine outside reach pods, the latter through a NodePort', async () => {
    const { body } = await cluster.request(
      'GET',
      `/api/v1/namespaces/${namespace.name}/services/web`,
    )
    const { clusterIP, ports } = Object(body['spec'])
    expect(await (await fetch(`http://${clusterIP}`)).text()).toMatch(/^two /)
    const url = `http://${cluster.nodeAddress}:${ports[0].nodePort}`
    const program = `fetch('${url}').then((r) => r.text()).then(console.log)`
    expect(await cluster.outside(process.execPath, '-e', program)).toMatch(/^two /)
  })

  test('volumes have their content, and the rest of the file system is read-only', async () => {
    const text = await evaluated(`const fs = require('node:fs')
      const read = (path) => fs.readFileSync(path, 'utf8')
      const write = (path) => { try { fs.writeFileSync(path, '1'); return 'written' } catch (e) { return e.code } }
      console.log([read('/secret/word'), read('/config/word'), read('/token/token').split('.').length,
        write('/memory/x'), write('/x'), process.getuid()].join())`)
    expect(text).toBe('hidden,open,3,written,EROFS,10001\n')
  })

  test('kubectl shows logs and forwards a port', async () => {
    expect(await inNamespace('logs', 'two')).toBe('listening\n')
    const tool = await kubectl()
    if ('missing' in tool) throw new Error(tool.missing)
    const target = ['--namespace', namespace.name, 'port-forward', 'pod/two', ':8080']
    const forward = spawn(tool.path, target, {
      env: { ...process.env, KUBECONFIG: cluster.kubeconfigPath },
    })
    const line = new Promise<string>((resolve) =>
      createInterface(forward.stdout).once('line', resolve),
    )
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(await line) ?? []
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('two 127.0.0.1')
    forward.kill()
  })

  test('a container that takes more memory than its limit ends with the reason OOMKilled', async () => {
    const input = JSON.stringify(hungryPod('hungry'))
    await cluster.kubectl(['--namespace', namespace.name, 'apply', '-f', '-'], { input })
    const reason = '{.status.containerStatuses[0].state.terminated.reason}'
    const seen = await vi.waitUntil(
      () => inNamespace('get', 'pod', 'hungry', `-o=jsonpath=${reason}`),
      {
        timeout: 60_000,
        interval: 500,
      },
    )
    expect(seen).toBe('OOMKilled')
  })

  test('an eviction waits for the disruption budget', async () => {
    const evict = async (name: string) => {
      const path = `/api/v1/namespaces/${namespace.name}/pods/${name}/eviction`
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }
      return (await cluster.request('POST', path, { body: eviction })).status
    }
    expect(await evict('two')).toBe(429)
    expect(await evict('one')).toBe(201)
  })
})
