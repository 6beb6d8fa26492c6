import { expect, test } from 'vitest'
import type { FacilitatorCondition } from '../../../../../src/kubernetes/crd/facilitator/conditions.ts'
import type { Facilitator } from '../../../../../src/kubernetes/crd/facilitator.ts'
import { childAnnotations } from '../../../../../src/kubernetes/crd/names/marks.ts'
import { ForeignObjects } from '../../../../../src/kubernetes/operator/facilitator/converge/foreign-objects.ts'
import { SecondOperator } from '../../../../../src/kubernetes/operator/facilitator/converge/second-operator.ts'
import type { ObservedFacilitator } from '../../../../../src/kubernetes/operator/facilitator/observe/observe.ts'
import { RolloutSlots } from '../../../../../src/kubernetes/operator/facilitator/plan/rollout-slots.ts'
import {
  createReconcile,
  type ReconcileDeps,
} from '../../../../../src/kubernetes/operator/facilitator/reconcile.ts'
import { createApplier } from '../../../../../src/kubernetes/runtime/apply/apply.ts'
import { OwnWrites } from '../../../../../src/kubernetes/runtime/cache/own-writes.ts'
import type { DesiredObject } from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import type { Json } from '../../../../support/api/manifests.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { silentLogger } from '../../runtime/support/silence.ts'
import { DEFAULT_IMAGE, testDigest } from './builders.ts'
import { existingObjects, observedWith, poolWithStatus } from './results.ts'

/** Reconciles once, and returns what the pass wrote and reported. */
async function pass({ facilitator, owned, find, pools, secrets }: ObservedFacilitator) {
  const clock = new FakeClock()
  const written: DesiredObject[] = []
  const client = {
    fieldManager: 'test',
    list: async () => ({ items: [] }),
    apply: async (_: unknown, body: DesiredObject) => {
      written.push(body)
      return { object: { ...body, metadata: { ...body.metadata, resourceVersion: '2' } } }
    },
  }
  let reported: readonly FacilitatorCondition[] = []
  const reconcile = createReconcile({
    facilitators: { get: () => facilitator },
    ownWrites: new OwnWrites(),
    slots: new RolloutSlots({ exists: () => true, clock }),
    reports: { stores: { release: async () => undefined }, clock, logger: silentLogger },
    random: () => 0,
    report: async (_: unknown, conditions: readonly FacilitatorCondition[]) => {
      reported = conditions
    },
    apply: {
      client,
      applier: createApplier({
        client: client as never,
        hashAnnotation: childAnnotations.desiredHash,
      }),
      foreign: new ForeignObjects(clock),
      second: new SecondOperator(clock),
    },
    observe: {
      pools: { get: () => [...pools.values()][0] },
      children: { ownedBy: () => owned, find, serves: () => true },
      pods: { by: () => [] },
      secrets: {
        read: async ({ name, key }: { name: string; key: string }) => secrets.get(`${name}/${key}`),
        isWatched: () => true,
      },
      readDigest: async () => testDigest,
      facilitatorImage: DEFAULT_IMAGE,
      clock,
      client,
    },
  } as unknown as ReconcileDeps)
  await reconcile({
    key: 'shop/payments',
    name: { namespace: 'shop', name: 'payments' },
    signal: new AbortController().signal,
    failures: 0,
    logger: silentLogger,
  })
  return { written, reported }
}

/** Counts how often a field of the spec is read that only the environment of facilitator pods depends on. */
function counted({ facilitator, ...observed }: ObservedFacilitator) {
  const { serviceFeePerSettlementUsd: fee } = facilitator.spec
  let reads = 0
  const spec = {
    ...facilitator.spec,
    get serviceFeePerSettlementUsd() {
      reads += 1
      return fee
    },
  }
  const watched: Facilitator = { ...facilitator, spec }
  return { observed: { ...observed, facilitator: watched }, reads: () => reads }
}

test.each<{ when: string; spec: Json; objects?: 'none' }>([
  { when: 'pods serve that have to be replaced', spec: { serviceFeePerSettlementUsd: '0.002' } },
  { when: 'a preflight is needed', spec: { tracing: { endpoint: 'http://collector:4318' } } },
  { when: 'there is nothing to do', spec: {} },
  { when: 'nothing exists', spec: {}, objects: 'none' },
])('a pass renders a Facilitator once, when $when', async ({ spec, objects }) => {
  const existing = objects === 'none' ? [] : existingObjects({})
  const pools = [poolWithStatus()]
  const { observed, reads } = counted(observedWith({ spec, pools, objects: existing }))
  const { reported } = await pass(observed)
  expect(reads()).toBe(1)
  expect(reported.find(({ type }) => type === 'PodTemplateAccepted')?.status).toBe('True')
})

test('new pods read the ConfigMap that the same pass wrote', async () => {
  const spec = { serviceFeePerSettlementUsd: '0.002' }
  const { written } = await pass(observedWith({ spec, objects: existingObjects({}) }))
  const [configMap] = written.filter(({ kind }) => kind === 'ConfigMap')
  const [deployment] = written.filter(({ kind }) => kind === 'Deployment')
  const [container] = Object(deployment?.['spec']).template.spec.containers
  expect(configMap?.['data']).toMatchObject({ SERVICE_FEE_PER_SETTLEMENT_USD: '0.002' })
  expect(container.envFrom).toEqual([{ configMapRef: { name: configMap?.metadata.name } }])
})
