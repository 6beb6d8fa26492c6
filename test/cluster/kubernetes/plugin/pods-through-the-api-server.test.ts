import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { openCluster } from '../../../../src/kubernetes/plugin/cluster/cluster.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { test } from '../../support/cluster-test.ts'
import { startKubelet } from './test-kubelet.ts'

test('requests and logs reach a pod through the API server and its node', async ({ fakeNodes }) => {
  const asked: string[] = []
  const service = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => asked.push(text))
    request.on('end', () => response.writeHead(200).end(`${request.method} ${request.url}`))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  await using kubelet = await startKubelet('first line\nlast line\n', (of) =>
    of === 8_080 ? port : undefined,
  )
  await using namespace = await fakeNodes.namespace('kubelet', {
    labels: { 'svc.dev/run-by': 'test' },
  })
  const node = namespace.name
  const send = async (method: string, path: string, body: object, contentType?: string) => {
    const answer = await fakeNodes.request(method, path, {
      body: { ...body },
      ...(contentType && { contentType }),
    })
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  try {
    // No other test's pods are scheduled here.
    await send('POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node },
      spec: { unschedulable: true },
    })
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    }
    const merge = 'application/merge-patch+json'
    await send('PATCH', `/api/v1/nodes/${node}/status`, { status }, merge)
    const containers = [{ name: 'facilitator', image: 'svc' }]
    await send('POST', `/api/v1/namespaces/${node}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'payments-1' },
      spec: { nodeName: node, containers },
    })
    const running = { status: { phase: 'Running' } }
    await send('PATCH', `/api/v1/namespaces/${node}/pods/payments-1/status`, running, merge)

    const cluster = openCluster({
      kubeconfig: fakeNodes.kubeconfigPath,
      namespace: node,
      clock: systemClock,
      stop: new AbortController().signal,
      timeoutMs: 20_000,
    })
    const at = { namespace: node, pod: 'payments-1' }
    const body = 'x'.repeat(20_000)
    expect(await cluster.ask({ ...at, port: 8_080, path: '/health' })).toEqual({
      status: 200,
      body: 'GET /health',
    })
    const posted = cluster.ask({ ...at, port: 8_080, method: 'POST', path: '/settle', body })
    expect(await posted).toEqual({ status: 200, body: 'POST /settle' })
    expect(asked.join('')).toBe(body)
    await expect(cluster.ask({ ...at, port: 9, path: '/health' })).rejects.toThrow(
      'nothing listens on 9',
    )
    const log = { resource: 'pods', path: `/api/v1/namespaces/${node}/pods/payments-1/log` }
    expect(await cluster.text(log, 10)).toBe('last line\n')
  } finally {
    service.close()
    await fakeNodes.request('DELETE', `/api/v1/nodes/${node}`)
  }
})
