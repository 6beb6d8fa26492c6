import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { alertRules } from '../../../src/kubernetes/operator/alerts/alerts.ts'
import { poolMetricTable } from '../../../src/kubernetes/operator/channel-pool/status/gauges.ts'
import {
  resourceMetricTable,
  runtimeMetricTable,
} from '../../../src/kubernetes/operator/metrics/metric-table.ts'
import { createInstruments } from '../../../src/platform/telemetry/metrics/instruments.ts'
import { metricTable } from '../../../src/platform/telemetry/metrics/metric-table.ts'

/** Labels that Prometheus or the runtime of containers adds. */
const labelsOfTargets = [
  ...['namespace', 'pod', 'job', 'instance', 'le'],
  // Added by the monitor of a Facilitator.
  ...['facilitator', 'channelpool'],
]
const given = 'namespace="a",pod="b"'

const declared = [metricTable, runtimeMetricTable, resourceMetricTable, poolMetricTable].flatMap(
  (table) => Object.values<{ kind: string; name: string; labels: readonly string[] }>(table),
)

/** Every series name that a process exposes, with its labels. */
const known = new Map(
  declared.flatMap(({ kind, name, labels }): [string, readonly string[]][] =>
    kind === 'histogram'
      ? ['_bucket', '_sum', '_count'].map((end) => [`${name}${end}`, labels])
      : [[name, labels]],
  ),
)

/** The metrics of a query: names before a selector, or with the prefix of the project. */
const namesIn = (query: string): readonly string[] => [
  ...new Set([
    ...(query.match(/[a-zA-Z_:][\w:]*(?=\s*[{[])/g) ?? []),
    ...(query.match(/\bsvc_\w+/g) ?? []),
  ]),
]

function problemsOf(query: string): readonly string[] {
  const unknown = namesIn(query).filter((name) => !known.has(name))
  const strangers = [...query.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(
    ([, name = '', matchers = '']) =>
      [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)]
        .map(([, label = '']) => label)
        .filter((label) => ![...(known.get(name) ?? []), ...labelsOfTargets].includes(label))
        .map((label) => `${name} has no label ${label}`),
  )
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(/,\s*/).filter((label) => {
      const labels = namesIn(query).flatMap((name) => known.get(name) ?? [])
      return label !== '' && ![...labels, ...labelsOfTargets].includes(label)
    }),
  )
  return [...unknown, ...strangers, ...grouped]
}

interface Target {
  readonly expr: string
  readonly legendFormat: string
}

const dashboard: {
  templating: { list: readonly { type: string; query: string }[] }
  panels: readonly {
    id: number
    title: string
    type: string
    gridPos: { x: number; w: number }
    targets?: readonly Target[]
  }[]
} = JSON.parse(
  readFileSync(
    new URL('../../../charts/stellar-x402/files/dashboard.json', import.meta.url),
    'utf8',
  ),
)
const panels = dashboard.panels.filter(({ type }) => type !== 'row')

/** A library declares the metrics of the Node process: read its exposition. */
async function knowProcessMetrics(): Promise<void> {
  const { text } = await createInstruments().expose()
  for (const [, name = ''] of text.matchAll(/^# TYPE (svc_process_\w+)/gm)) known.set(name, [])
}
await knowProcessMetrics()

describe('queries', () => {
  test.each(
    alertRules({ matchers: { facilitator: given, resource: given, operator: given } }).map(
      ({ alert, expr }) => [alert, expr],
    ),
  )('of the alert %s name metrics and labels that exist', (_, expr = '') => {
    expect(namesIn(expr).length).toBeGreaterThan(0)
    expect(problemsOf(expr)).toEqual([])
  })

  test.each(panels.map(({ title, targets = [] }): [string, readonly Target[]] => [title, targets]))(
    'of the panel %s name metrics and labels that exist',
    (_, targets) => {
      expect(targets.length).toBeGreaterThan(0)
      for (const { expr, legendFormat } of targets) {
        expect(problemsOf(expr)).toEqual([])
        expect(expr).not.toMatch(/\$(ns|of|net)\b/)
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          expect(expr, `the legend shows ${label}`).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`))
        }
      }
    },
  )

  test('of the variables of the dashboard name metrics that exist', () => {
    const queries = dashboard.templating.list.filter(({ type }) => type === 'query')
    const names = queries.map(({ query }) => /^label_values\((\w+), /.exec(query)?.[1] ?? query)
    expect(names.filter((name) => !known.has(name))).toEqual([])
  })

  test.each([
    { query: 'sum(rate(svc_settlement_total[5m]))', problem: 'svc_settlement_total' },
    { query: 'up{job="x"}', problem: 'up' },
    {
      query: 'svc_channels_total{net="a"}',
      problem: 'svc_channels_total has no label net',
    },
    { query: 'sum by (net) (svc_channels_total)', problem: 'net' },
  ])('like $query would be found', ({ query, problem }) => {
    expect(problemsOf(query)).toContain(problem)
  })
})

describe('the dashboard', () => {
  test('has unique panel ids, and no panel beyond its edge', () => {
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    }
  })
})
