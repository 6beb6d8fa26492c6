import { describe, expect, test } from 'vitest'
import { kubeMetricTable } from '../../../src/kube/metric-table.ts'
import { createKubeMetrics, type MetricDeclaration } from '../../../src/kube/metrics.ts'

describe('the metrics of the runtime', () => {
  test('are each declared once, with their kind', () => {
    const declared: string[] = []
    const declare =
      <M>(metric: M) =>
      ({ kind, name }: MetricDeclaration): M => {
        declared.push(`${kind} ${name}`)
        return metric
      }
    createKubeMetrics({
      counter: declare({ inc() {} }),
      gauge: declare({ set() {} }),
      histogram: declare({ observe() {} }),
      onScrape() {},
    })

    expect(declared).toEqual(
      Object.values(kubeMetricTable).map(({ kind, name }) => `${kind} ${name}`),
    )
  })
})
