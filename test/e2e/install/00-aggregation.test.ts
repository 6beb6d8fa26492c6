import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, inject, test } from 'vitest'
import { createCertificate } from '../../../src/localnet/server/certificate.ts'
import { connectNodes } from '../support/node.ts'

const GROUP = 'measures.svc.dev'

test('the API server asks a server on the nodes for an aggregated API, and says for which user', async () => {
  const cluster = await connectNodes(inject('nodes'))
  await using namespace = await cluster.namespace('aggregation')
  const host = `measures.${namespace.name}.svc`
  const { key, cert, authority } = await createCertificate(Date.now(), 1, [host])
  const server = createServer({ key, cert }, ({ url, headers }, response) => {
    const user = headers['x-remote-user']
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ apiVersion: 'v1', kind: 'Measure', user, url }))
  })
  await new Promise<void>((resolve) => server.listen(0, cluster.nodeAddress, resolve))
  const { port } = server.address() as AddressInfo

  const metadata = { name: 'measures', namespace: namespace.name }
  const version = `v1.${GROUP}`
  const items = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ name: 'https', port: 443, targetPort: port }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'measures' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [cluster.nodeAddress], conditions: { ready: true } }],
      ports: [{ name: 'https', port }],
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: version },
      spec: {
        group: GROUP,
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        caBundle: Buffer.from(authority).toString('base64'),
        service: { ...metadata, port: 443 },
      },
    },
  ]
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  await cluster.kubectl(['apply', '-f', '-'], { input })
  await cluster.kubectl([
    'wait',
    '--for=condition=Available',
    `apiservice/${version}`,
    '--timeout=60s',
  ])

  const path = `/apis/${GROUP}/v1/measures`
  const { status, body } = await cluster.request('GET', path)
  expect({ status, body }).toMatchObject({ status: 200, body: { user: 'admin', url: path } })

  await cluster.kubectl(['delete', `apiservice/${version}`])
  server.closeAllConnections()
  server.close()
})
