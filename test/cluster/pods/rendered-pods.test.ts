/**
 * The rendered objects work: every pod runs as a local process with its command, environment and files, a stock
 * client pays through it, the catalog pods find what was paid for, and the explorer pods show the payments.
 */
import { HTTPFacilitatorClient } from '@x402/core/server'
import type { PaymentPayload } from '@x402/core/types'
import { expect, vi } from 'vitest'
import { API_VERSION, kinds } from '../../../src/kubernetes/crd/names/group.ts'
import { facilitatorManifest } from '../../support/api/manifests.ts'
import { mcpBazaar } from '../../support/catalog/declarations.ts'
import { reach } from '../../support/stock/stock-client.ts'
import { stockRequest } from '../../support/stock/stock-request.ts'
import {
  isReady,
  openPoolWorld,
  type PoolWorld,
} from '../kubernetes/operator/channel-pool/pool-world.ts'
import { test } from '../support/cluster-test.ts'
import { startLocalNode } from './local-node.ts'
import type { PodProcess } from './pod-process.ts'

const patience = { timeout: 240_000, interval: 200 }

const facilitatorOf = async ({ cluster, namespace }: PoolWorld) => {
  const path = `/apis/${API_VERSION}/namespaces/${namespace}/${kinds.Facilitator.plural}/payments`
  return Object((await cluster.request('GET', path)).body)
}

const conditionOf = (facilitator: { status?: { conditions?: { type: string }[] } }, type: string) =>
  facilitator.status?.conditions?.find((condition) => condition.type === type)

const ofPart =
  (part: string) =>
  ({ name }: PodProcess): boolean =>
    name.includes(`-${part}-`)

/** A tool that has no server which the catalog could ask: the simulated nodes reach this machine only. */
const tool = {
  resource: { url: 'mcp://tools.example/tides', description: 'High and low tide at a harbour' },
  extensions: { bazaar: mcpBazaar({ toolName: 'tides' }) },
}

async function found(pod: PodProcess): Promise<readonly string[]> {
  const url = `${pod.url('http')}/discovery/search?query=when+is+high+tide+at+my+harbour`
  const { resources } = Object(await (await fetch(url)).json())
  return Array.from(Object(resources), ({ resource }: { resource: string }) => resource)
}

/** The feed of an explorer pod, the latest payment first. */
async function shown(pod: PodProcess) {
  const { items } = Object(await (await fetch(`${pod.url('http')}/feed`)).json())
  return Array.from(Object(items), ({ txHash, confidence }: Record<string, string>) => ({
    txHash,
    confidence,
  }))
}

test('every rendered pod runs, answers its probes, and accepts payments of the stock client, finds what they paid for, or shows them', {
  timeout: 240_000,
}, async ({ fakeNodes: cluster }) => {
  await using world = await openPoolWorld(cluster, {
    labels: { 'svc.dev/run-by': 'test' },
    tls: true,
    schema: false,
  })
  await using _operator = world.operate({ FACILITATOR_IMAGE: 'registry.example/stellar-x402:dev' })
  await using node = await startLocalNode(cluster, world.namespace)
  await world.apply({ channels: 2 })
  await cluster.kubectl(['-n', world.namespace, 'apply', '-f', '-'], {
    input: JSON.stringify(
      facilitatorManifest({
        replicas: 2,
        catalog: { enabled: true },
        explorer: { enabled: true, replicas: 2 },
      }),
    ),
  })

  // The migration Job runs first: without its schema neither pool nor pods become ready.
  await world.until(isReady, undefined, patience)
  await vi.waitFor(async () => {
    const found = await facilitatorOf(world)
    expect(conditionOf(found, 'Ready'), said(node.pods)).toMatchObject({ status: 'True' })
  }, patience)
  await vi.waitFor(async () => {
    const { status } = await facilitatorOf(world)
    expect(status.parts, said(node.pods)).toMatchObject([{ ready: 2 }, { ready: 2 }, { ready: 2 }])
  }, patience)
  const pods = node.pods.filter(ofPart('facilitator'))
  const catalog = node.pods.filter(ofPart('catalog'))
  const explorer = node.pods.filter(ofPart('explorer'))
  expect([pods.length, catalog.length, explorer.length]).toEqual([2, 2, 2])

  for (const pod of [...pods, ...catalog, ...explorer]) {
    for (const which of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      expect([pod.name, which, await pod.probe(which)]).toEqual([pod.name, which, 200])
    }
  }
  reach(world.localnet)
  const paid: string[] = []
  for (const pod of pods) {
    const { body } = await stockRequest(world.localnet)
    const client = new HTTPFacilitatorClient({ url: pod.url('http') })
    const payload = { ...(body.paymentPayload as PaymentPayload), ...tool }
    expect(await client.verify(payload, body.paymentRequirements)).toMatchObject({ isValid: true })
    const settled = await client.settle(payload, body.paymentRequirements)
    expect(settled, said([pod])).toMatchObject({ success: true, network: 'stellar:testnet' })
    paid.push(settled.transaction)
  }
  for (const pod of catalog) {
    await vi.waitFor(async () => {
      expect(await found(pod), said([pod])).toEqual([tool.resource.url])
    }, patience)
  }
  for (const pod of explorer) {
    await vi.waitFor(async () => {
      expect(await shown(pod), said([pod])).toEqual(
        paid.toReversed().map((txHash) => ({ txHash, confidence: 'svc' })),
      )
    }, patience)
  }
})

const said = (pods: readonly PodProcess[]): string =>
  pods.map(({ name, output }) => `${name}:\n${output.join('').slice(-2_000)}`).join('\n')
