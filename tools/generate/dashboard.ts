import type { Panel, Row } from './panel.ts'
import { rows } from './panels.ts'

const WIDTH = 8
const HEIGHT = 8
const PER_LINE = 24 / WIDTH

const datasource = { type: 'prometheus', uid: `\${datasource}` }

/** Replaced here: Grafana does not replace variables inside variables. */
const matchers: Readonly<Record<string, string>> = {
  $ns: 'namespace=~"$namespace"',
  $of: 'namespace=~"$namespace",facilitator=~"$facilitator"',
  $net: 'namespace=~"$namespace",facilitator=~"$facilitator",network=~"$network"',
}

const expressionOf = (query: string): string =>
  query.replaceAll(/\$(ns|of|net)\b/g, (name) => matchers[name] ?? name)

/** The dashboard as JSON for Grafana. */
export function dashboard(): string {
  const panels: object[] = []
  let y = 0
  for (const row of rows) {
    panels.push(rowOf(row, panels.length + 1, y))
    y += 1
    for (const [at, panel] of row.panels.entries()) {
      const place = { x: (at % PER_LINE) * WIDTH, y: y + Math.floor(at / PER_LINE) * HEIGHT }
      panels.push(panelOf(panel, panels.length + 1, place))
    }
    y += Math.ceil(row.panels.length / PER_LINE) * HEIGHT
  }
  return `${JSON.stringify({ ...frame, panels }, null, 2)}\n`
}

const variable = (name: string, label: string, metric: string) => ({
  name,
  label,
  type: 'query',
  datasource,
  query: `label_values(${metric}, ${name})`,
  refresh: 2,
  includeAll: true,
  allValue: '.*',
  multi: true,
  current: { text: 'All', value: '$__all' },
})

const frame = {
  title: 'x402 on Stellar',
  uid: 'stellar-x402',
  tags: ['x402', 'stellar'],
  schemaVersion: 39,
  editable: true,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
      variable('namespace', 'Namespace', 'svc_http_request_duration_seconds_count'),
      variable('facilitator', 'Facilitator', 'svc_http_request_duration_seconds_count'),
      variable('network', 'Network', 'svc_channels_total'),
    ],
  },
}

const rowOf = ({ title }: Row, id: number, y: number) => ({
  id,
  type: 'row',
  title,
  collapsed: false,
  gridPos: { x: 0, y, w: 24, h: 1 },
  panels: [],
})

const panelOf = (
  { title, unit, kind = 'timeseries', queries }: Panel,
  id: number,
  place: { x: number; y: number },
) => ({
  id,
  type: kind,
  title,
  datasource,
  gridPos: { ...place, w: WIDTH, h: HEIGHT },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: Object.entries(queries).map(([legendFormat, query], at) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + at),
    datasource,
    expr: expressionOf(query),
    legendFormat,
  })),
})
