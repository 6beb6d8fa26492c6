import { describe, expect, test } from 'vitest'
import { planFacilitator } from '../../../../src/operator/facilitator/plan.ts'
import { wantedWith } from './builders.ts'
import { everythingThere, jobFailed, live, poolThat, type ViewParts, viewWith } from './views.ts'

const planOf = (parts: ViewParts) =>
  planFacilitator(viewWith(parts), wantedWith(parts.spec, { pools: [poolThat()] }))

const other = { image: { repository: 'registry.example/other', tag: '2' } }
const names = (objects: readonly { readonly kind: string }[]) => objects.map(({ kind }) => kind)
const without = (kind: string, parts: ViewParts = {}) =>
  everythingThere(parts).filter((object) => object.kind !== kind)

describe('planFacilitator', () => {
  test('migrates first, and rolls nothing out before', () => {
    const plan = planOf({ objects: [] })
    expect(plan.migrate?.kind).toBe('Job')
    expect(plan.rollouts).toEqual([])
    expect(names(plan.around)).toContain('Service')
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

  test('leaves what runs alone while a new image migrates, and removes the old Job', () => {
    const plan = planOf({ spec: other, objects: everythingThere({}) })
    expect(plan.rollouts).toEqual([])
    expect(names(plan.remove)).toEqual(['Job'])
    expect(plan.migrate?.metadata.name).not.toBe(plan.remove[0]?.metadata.name)
  })

  test('gives what runs more pods while a migration is under way or failed', () => {
    const spec = { ...other, replicas: 5 }
    const [scaling, ...more] = planOf({ spec, objects: everythingThere({}) }).scale
    expect(more).toEqual([])
    expect(scaling).toMatchObject({ replicas: 5, deployment: { spec: { replicas: 2 } } })
    expect(planOf({ spec: { replicas: 5 }, objects: everythingThere({}) }).scale).toEqual([])
    expect(planOf({ spec: other, objects: everythingThere({}) }).scale).toEqual([])
  })

  test('tries a failed migration again after two minutes', () => {
    expect(planOf({ job: jobFailed })).toMatchObject({ remove: [], retryMs: 90_000 })
    const ended = { type: 'Failed', status: 'True', lastTransitionTime: '2026-01-01T11:00:00Z' }
    expect(names(planOf({ job: { conditions: [ended] } }).remove)).toEqual(['Job'])
  })

  test('makes a Job anew that would be another one now, unless it succeeded', () => {
    const spec = { pods: { nodeSelector: { disk: 'fast' } } }
    const before = { spec, objects: everythingThere({ job: jobFailed }) }
    expect(names(planOf(before).remove)).toContain('Job')
    const done = { spec, objects: everythingThere({}) }
    expect(names(planOf(done).remove)).not.toContain('Job')
  })

  test('keeps the ConfigMap of pods that still run, and removes it after them', () => {
    const spec = { serviceFeePerSettlementUsd: '0.002' }
    const rolling = { spec, objects: everythingThere({}) }
    expect(names(planOf(rolling).remove)).toEqual([])

    const old = everythingThere({}).filter(({ kind }) => kind === 'ConfigMap')
    const rolled = { spec, objects: [...everythingThere({ spec }), ...old] }
    expect(planOf(rolled).remove.map(({ metadata }) => metadata.name)).toEqual(
      old.map(({ metadata }) => metadata.name),
    )
  })

  test('removes what a spec wants no more, and only what is its own', () => {
    const catalog = { catalog: { enabled: true } }
    const objects = everythingThere({ spec: catalog })
    const foreign = objects.map((object) => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [] },
    }))
    expect(new Set(names(planOf({ objects }).remove))).toEqual(
      new Set(['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']),
    )
    expect(planOf({ objects: foreign }).remove).toEqual([])
  })

  test('removes nothing twice', () => {
    const going = everythingThere({ spec: { replicas: 2 } }).map((object) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }))
    expect(planOf({ spec: { replicas: 1 }, objects: going }).remove).toEqual([])
  })

  test('makes optional kinds only where they are known', () => {
    expect(planOf({})).toMatchObject({ unknown: ['PodMonitor', 'PrometheusRule'] })
    const known = planOf({ serves: ['PodMonitor', 'PrometheusRule'] })
    expect(known.unknown).toEqual([])
    expect(names(known.around)).toContain('PodMonitor')
    const quiet = { monitoring: { mode: 'Never' } }
    expect(planOf({ spec: quiet }).unknown).toEqual([])
  })

  test('makes a Job that somebody deleted again', () => {
    expect(planOf({ objects: without('Job') }).migrate?.kind).toBe('Job')
  })

  test('takes a Job of the same name that is another one for what it is', () => {
    const wanted = wantedWith({}, { pools: [poolThat()] })
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'mine', namespace: 'shop' },
    }
    const plan = planOf({ objects: [...everythingThere({}), live(job, wanted.facilitator)] })
    expect(plan.remove.map(({ metadata }) => metadata.name)).toEqual(['mine'])
  })
})
