import { describe, expect, test } from 'vitest'
import type { MetricDeclaration } from '../../../../../src/kubernetes/runtime/metrics/metric-declaration.ts'
import { kubeMetricTable } from '../../../../../src/kubernetes/runtime/metrics/metric-table.ts'
import { createKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { createInstruments } from '../../../../../src/platform/telemetry/metrics/instruments.ts'

/** The samples of the metrics of that name in an exposition. */
const samplesOf = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => new RegExp(`^${name}(_bucket|_sum|_count)?[ {]`).test(line))

describe('the metrics of the runtime', () => {
  test('are each declared once, with their kind and the prefix of the caller', () => {
    const declared: string[] = []
    const declare =
      <M>(metric: M) =>
      ({ kind, name }: MetricDeclaration): M => {
        declared.push(`${kind} ${name}`)
        return metric
      }
    createKubeMetrics(
      {
        counter: declare({ inc() {} }),
        gauge: declare({ set() {} }),
        histogram: declare({ observe() {} }),
        onScrape: () => () => undefined,
      },
      { prefix: 'lamp_' },
    )

    expect(declared).toContain('counter lamp_reconcile_total')
    expect(declared).toEqual(
      Object.values(kubeMetricTable('lamp_')).map(({ kind, name }) => `${kind} ${name}`),
    )
  })

  test('have the names that dashboards know, too, with the results of controller-runtime', async () => {
    const instruments = createInstruments()
    const metrics = createKubeMetrics(instruments, { prefix: 'lamp_', host: 'api:6443' })
    const lamps = { controller: 'lamps' }
    for (const result of ['settled', 'stuck', 'again', 'conflict', 'error', 'timeout', 'panic']) {
      metrics.reconciles.inc({ ...lamps, result })
    }
    metrics.queueDepth.set({ name: 'lamps' }, 3)
    metrics.workSeconds.observe({ name: 'lamps' }, 0.02)
    metrics.leader.set({ name: 'lamp-lease' }, 1)
    metrics.apiRequests.inc({ verb: 'list', resource: 'lamps', code: '200' })
    metrics.apiRequests.inc({ verb: 'watch', resource: 'lamps', code: '200' })
    metrics.apiRequests.inc({ verb: 'apply', resource: 'lamps', code: 'none' })
    const { text } = await instruments.expose()

    expect(samplesOf(text, 'controller_runtime_reconcile_total')).toEqual([
      'controller_runtime_reconcile_total{controller="lamps",result="success"} 2',
      'controller_runtime_reconcile_total{controller="lamps",result="requeue_after"} 1',
      'controller_runtime_reconcile_total{controller="lamps",result="requeue"} 1',
      'controller_runtime_reconcile_total{controller="lamps",result="error"} 3',
    ])
    expect(samplesOf(text, 'workqueue_depth')).toEqual([
      'workqueue_depth{name="lamps",controller="lamps"} 3',
    ])
    expect(samplesOf(text, 'workqueue_work_duration_seconds')).toEqual(
      expect.arrayContaining([
        'workqueue_work_duration_seconds_bucket{name="lamps",controller="lamps",le="0.01"} 0',
        'workqueue_work_duration_seconds_bucket{name="lamps",controller="lamps",le="0.05"} 1',
        'workqueue_work_duration_seconds_count{name="lamps",controller="lamps"} 1',
      ]),
    )
    expect(samplesOf(text, 'rest_client_requests_total')).toEqual([
      'rest_client_requests_total{code="200",host="api:6443",method="GET"} 2',
      'rest_client_requests_total{code="<error>",host="api:6443",method="PATCH"} 1',
    ])
    expect(samplesOf(text, 'leader_election_master_status')).toEqual([
      'leader_election_master_status{name="lamp-lease"} 1',
    ])
    expect(text).toContain('# TYPE workqueue_work_duration_seconds histogram')
    expect(samplesOf(text, 'lamp_reconcile_total')).toHaveLength(7)
  })
})
