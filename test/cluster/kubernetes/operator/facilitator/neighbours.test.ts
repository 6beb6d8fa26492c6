/** Facilitators of two namespaces, which one operator manages. */
import { expect, vi } from 'vitest'
import { facilitatorManifest } from '../../../../support/api/manifests.ts'
import { startApiProxy } from '../../../support/api-proxy.ts'
import { restricted } from '../../../support/cluster.ts'
import { test } from '../../../support/cluster-test.ts'
import { installDefinitions, objectsIn } from '../../crd/objects.ts'
import { NAME, patience, type Rig, rigOf, runController } from './rig.ts'

const NEXT_IMAGE = 'registry.example/stellar-x402:2.0.0'
const SECOND = { kind: 'Facilitator', metadata: { name: 'second' } } as const

const isPaused = (value: string | null) => ({
  metadata: { annotations: { 'x402.svc.dev/paused': value } },
})

/** Says that every pod runs what the spec and the operator ask for. */
async function expectRolledOut(rig: Rig, image?: string): Promise<void> {
  expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
  expect(await rig.condition('Progressing')).toMatchObject({ status: 'False', reason: 'RolledOut' })
  if (image === undefined) return
  const { spec } = Object(await rig.get('apis/apps/v1', 'deployments', `${NAME}-facilitator`))
  expect(spec.template.spec.containers[0].image).toBe(image)
}

async function eventReasons(rig: Rig): Promise<readonly string[]> {
  const events = await rig.list('apis/events.k8s.io/v1', 'events')
  return events.map((event) => Object(event).reason)
}

test('N1: a new version of the operator that fails in one namespace holds nobody in another', {
  timeout: 240_000,
}, async ({ fakeNodes: cluster }) => {
  await installDefinitions(cluster)
  await using proxy = await startApiProxy(cluster.kubeconfigPath)
  await using failing = await cluster.namespace('failing', { labels: restricted })
  await using other = await cluster.namespace('other', { labels: restricted })
  const namespaces = [failing.name, other.name]
  {
    await using running = runController(proxy, namespaces)
    const rigs = namespaces.map((namespace) => rigOf(cluster, namespace, proxy, running))
    for (const rig of rigs) await rig.begin()
    await objectsIn(cluster, failing.name).create(facilitatorManifest({}, SECOND.metadata))
    await vi.waitFor(() => Promise.all(rigs.map((rig) => expectRolledOut(rig))), patience)
    await rigs[0]?.annotateNamespace({ 'fake-node.svc.dev/jobs': 'fail' })
    // It begins when the failure of the other namespace is known, not at the same time.
    await rigs[1]?.change(isPaused('true'))
  }

  await using running = runController(proxy, namespaces, NEXT_IMAGE)
  const [theirs, ours] = namespaces.map((namespace) =>
    rigOf(cluster, namespace, proxy, running),
  ) as [Rig, Rig]
  await vi.waitFor(async () => {
    const { body } = await objectsIn(cluster, failing.name).get(SECOND)
    const conditions: { reason: string }[] = Object(body['status']).conditions
    const all = [...conditions, await theirs.condition('Degraded')]
    const reasons = all.map((each) => each['reason'])
    expect(reasons).toContain('MigrationFailed')
    expect(reasons).toContain('RolloutHeld')
  }, patience)

  await ours.change(isPaused(null))
  await vi.waitFor(() => expectRolledOut(ours, NEXT_IMAGE), patience)
  const said = await eventReasons(ours)
  expect(said).not.toContain('RolloutHeld')
  expect(said).not.toContain('RolloutWaiting')
  expect(await eventReasons(theirs)).toContain('RolloutHeld')
})
