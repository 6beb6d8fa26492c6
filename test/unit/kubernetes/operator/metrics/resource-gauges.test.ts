import { describe, expect, test } from 'vitest'
import { createResourceGauges } from '../../../../../src/kubernetes/operator/metrics/resource-gauges.ts'
import type { Change } from '../../../../../src/kubernetes/runtime/cache/store.ts'

type Reported = Parameters<
  Parameters<Parameters<ReturnType<typeof createResourceGauges>>[0]['onChange']>[0]
>[0]['object']

const pool = (status: Reported['status'], more: Partial<Reported['metadata']> = {}): Reported => ({
  apiVersion: 'x402.svc.dev/v1beta1',
  kind: 'ChannelPool',
  metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 3, ...more },
  status,
})

/** Series by metric and labels, and a function that emits changes. */
function exposition() {
  const series = new Map<string, number>()
  let emit: (change: Change<Reported>) => void = () => undefined
  const watch = createResourceGauges({
    gauge: ({ name }) => ({
      set: (labels, value) => series.set(`${name} ${Object.values(labels).join(' ')}`, value),
      remove: (labels) => series.delete(`${name} ${Object.values(labels).join(' ')}`),
    }),
  })
  watch({ onChange: (handler) => (emit = (change) => handler(change, false)) })
  return { series, emit: (change: Change<Reported>) => emit(change) }
}

const ready = (status: 'True' | 'False') => ({
  observedGeneration: 2,
  conditions: [{ type: 'Ready', status }],
})

describe('the gauges of resources', () => {
  test('show generation, observed generation and each condition', () => {
    const { series, emit } = exposition()
    emit({ type: 'added', object: pool(ready('False')) })
    expect([...series]).toEqual([
      ['svc_resource_generation ChannelPool n a a', 3],
      ['svc_resource_observed_generation ChannelPool n a a', 2],
      ['svc_resource_paused ChannelPool n a a', 0],
      ['svc_resource_condition ChannelPool n a a Ready False', 1],
    ])
  })

  test('forget the status that a condition no longer has', () => {
    const { series, emit } = exposition()
    const before = pool(ready('False'))
    emit({ type: 'added', object: before })
    emit({ type: 'updated', object: pool(ready('True')), previous: before })
    const conditions = [...series.keys()].filter((name) => name.includes('condition'))
    expect(conditions).toEqual(['svc_resource_condition ChannelPool n a a Ready True'])
  })

  test('show a pause that nothing else shows while it lasts', () => {
    const { series, emit } = exposition()
    const before = pool(undefined, { annotations: { 'x402.svc.dev/paused': 'true' } })
    emit({ type: 'added', object: before })
    expect(series.get('svc_resource_paused ChannelPool n a a')).toBe(1)
    emit({ type: 'updated', object: pool(undefined), previous: before })
    expect(series.get('svc_resource_paused ChannelPool n a a')).toBe(0)
  })

  test('show since when a resource is being deleted, and nothing after its deletion', () => {
    const { series, emit } = exposition()
    const object = pool(undefined, { deletionTimestamp: '2026-01-01T00:00:00Z' })
    emit({ type: 'added', object })
    expect(series.get('svc_resource_deletion_timestamp_seconds ChannelPool n a a')).toBe(1767225600)
    emit({ type: 'deleted', object, previous: object })
    expect([...series]).toEqual([])
  })
})
