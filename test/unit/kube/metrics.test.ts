import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { kubeMetricTable } from '../../../src/kube/metric-table.ts'
import { createKubeMetrics, type MetricDeclaration } from '../../../src/kube/metrics.ts'

const page = readFileSync('docs/kube-runtime.md', 'utf8')

describe('the metrics of the runtime', () => {
  test.each(Object.values<MetricDeclaration>(kubeMetricTable))(
    '$name is on the page as it is',
    ({ name, kind, labels, help }) => {
      const shown = labels.map((label) => `\`${label}\``).join(', ') || 'none'

      expect(page).toContain(`| \`${name}\` | ${kind} | ${shown} | ${help} |`)
    },
  )

  test('are each asked of the registry once, as the kind they are', () => {
    const asked: string[] = []
    const ask =
      <M>(metric: M) =>
      ({ kind, name }: MetricDeclaration): M => {
        asked.push(`${kind} ${name}`)
        return metric
      }
    createKubeMetrics({
      counter: ask({ inc() {} }),
      gauge: ask({ set() {} }),
      histogram: ask({ observe() {} }),
    })

    expect(asked).toEqual(Object.values(kubeMetricTable).map(({ kind, name }) => `${kind} ${name}`))
  })
})
