import { describe, expect, test } from 'vitest'
import { planFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import { render } from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { migrations } from '../../../../../../src/platform/database/migrations/index.ts'
import { unknownMigrations } from '../../../../../../src/platform/database/schema-newer.ts'
import { desiredWith } from '../builders.ts'
import {
  existingObjects,
  jobFailed,
  live,
  type ObservedParts,
  observedWith,
  poolWithStatus,
} from '../results.ts'

const planOf = (parts: ObservedParts) =>
  planFacilitator(
    observedWith(parts),
    render(desiredWith(parts.spec, { pools: [poolWithStatus()] })),
  )

const other = { image: { repository: 'registry.example/other', tag: '2' } }
const names = (objects: readonly { readonly kind: string }[]) => objects.map(({ kind }) => kind)
const without = (kind: string, parts: ObservedParts = {}) =>
  existingObjects(parts).filter((object) => object.kind !== kind)

describe('planFacilitator', () => {
  test('migrates first, and rolls nothing out before', () => {
    const plan = planOf({ objects: [] })
    expect(plan.migrate?.kind).toBe('Job')
    expect(plan.rollouts).toEqual([])
    expect(names(plan.independent)).toContain('Service')
  })

  test('waits for the migration', () => {
    const plan = planOf({ job: {} })
    expect(plan).toMatchObject({ migrate: undefined, rollouts: [], remove: [] })
  })

  test('rolls out once it succeeded, and removes nothing', () => {
    const plan = planOf({})
    expect(plan.rollouts).toHaveLength(1)
    expect(plan.remove).toEqual([])
  })

  test('keeps the running pods while a new image migrates, and removes the old Job', () => {
    const plan = planOf({ spec: other, objects: existingObjects({}) })
    expect(plan.rollouts).toEqual([])
    expect(names(plan.remove)).toEqual(['Job'])
    expect(plan.migrate?.metadata.name).not.toBe(plan.remove[0]?.metadata.name)
  })

  test('scales the running Deployment during a migration and after a failed one', () => {
    const spec = { ...other, replicas: 5 }
    const [scaling, ...more] = planOf({ spec, objects: existingObjects({}) }).scale
    expect(more).toEqual([])
    expect(scaling).toMatchObject({ replicas: 5, deployment: { spec: { replicas: 2 } } })
    expect(planOf({ spec: { replicas: 5 }, objects: existingObjects({}) }).scale).toEqual([])
    expect(planOf({ spec: other, objects: existingObjects({}) }).scale).toEqual([])
  })

  test('retries a failed migration after two minutes, and keeps its logs until the next one has begun', () => {
    expect(planOf({ job: jobFailed })).toMatchObject({ remove: [], retryMs: 90_000 })
    const ended = { type: 'Failed', status: 'True', lastTransitionTime: '2026-01-01T11:00:00Z' }
    const due = planOf({ job: { conditions: [ended] } })
    expect(due.remove).toEqual([])
    expect(due.migrate?.metadata.name).toBe(`${due.job}-2`)
    const begun = [...existingObjects({ job: jobFailed })]
    if (due.migrate) begun.push(live(due.migrate, observedWith().facilitator, { status: {} }))
    expect(planOf({ objects: begun }).remove.map(({ metadata }) => metadata.name)).toEqual([
      due.job,
    ])
  })

  test('rolls nothing out where the image refuses the schema, although this operator does not know why', () => {
    const newest = Object.keys(migrations).toSorted().at(-1) ?? ''
    const { newer } = unknownMigrations([newest, '0099-contract-0098-drop'], [newest])
    const refused = {
      name: 'payments-migrate-1',
      component: 'migration',
      reason: 'Error',
      message: `svc migrate: ${newer?.message}`,
    }
    const plan = planOf({ job: jobFailed, failing: [refused] })
    expect(plan.migration.state).toBe('Failed')
    expect(plan).toMatchObject({ rollouts: [], preflight: undefined, retryMs: 90_000 })
  })

  test('replaces a Job that differs from the desired one, unless it succeeded', () => {
    const spec = { podTemplate: { spec: { nodeSelector: { disk: 'fast' } } } }
    const before = { spec, objects: existingObjects({ job: jobFailed }) }
    expect(names(planOf(before).remove)).toContain('Job')
    const done = { spec, objects: existingObjects({}) }
    expect(names(planOf(done).remove)).not.toContain('Job')
  })

  test('keeps the ConfigMap of pods that still run, and removes it after the rollout', () => {
    const spec = { serviceFeePerSettlementUsd: '0.002' }
    const rolling = { spec, objects: existingObjects({}) }
    expect(names(planOf(rolling).remove)).toEqual([])

    const old = existingObjects({}).filter(({ kind }) => kind === 'ConfigMap')
    const rolled = { spec, objects: [...existingObjects({ spec }), ...old] }
    expect(planOf(rolled).remove.map(({ metadata }) => metadata.name)).toEqual(
      old.map(({ metadata }) => metadata.name),
    )
  })

  test('removes objects that the spec no longer asks for, and only those it controls', () => {
    const catalog = { catalog: { enabled: true } }
    const objects = existingObjects({ spec: catalog })
    const foreign = objects.map((object) => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [] },
    }))
    expect(new Set(names(planOf({ objects }).remove))).toEqual(
      new Set(['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']),
    )
    expect(planOf({ objects: foreign }).remove).toEqual([])
  })

  test('does not remove an object that is being deleted', () => {
    const going = existingObjects({ spec: { replicas: 2 } }).map((object) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }))
    expect(planOf({ spec: { replicas: 1 }, objects: going }).remove).toEqual([])
  })

  test('creates optional kinds only where the cluster serves them', () => {
    expect(planOf({})).toMatchObject({ unserved: ['PodMonitor', 'PrometheusRule'] })
    const served = planOf({ serves: ['PodMonitor', 'PrometheusRule'] })
    expect(served.unserved).toEqual([])
    expect(names(served.independent)).toContain('PodMonitor')
    const quiet = { monitoring: { mode: 'Never' } }
    expect(planOf({ spec: quiet }).unserved).toEqual([])
  })

  test('creates a deleted Job again', () => {
    expect(planOf({ objects: without('Job') }).migrate?.kind).toBe('Job')
  })

  test('removes another Job that the Facilitator controls', () => {
    const desired = desiredWith({}, { pools: [poolWithStatus()] })
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'mine', namespace: 'shop' },
    }
    const plan = planOf({ objects: [...existingObjects({}), live(job, desired.facilitator)] })
    expect(plan.remove.map(({ metadata }) => metadata.name)).toEqual(['mine'])
  })
})
