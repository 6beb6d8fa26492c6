/** Asks Prometheus what Grafana asks for the panels of the chart's dashboard. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartPath } from '../../../tools/generate/rendered.ts'
import type { Prometheus } from './prometheus.ts'

export interface PanelQuery {
  readonly panel: string
  readonly legend: string
  readonly expr: string
}

interface Variable {
  readonly name: string
  readonly type: string
  readonly query: string
}

const { panels, templating } = JSON.parse(
  readFileSync(join(chartPath, 'files/dashboard.json'), 'utf8'),
) as {
  panels: { title: string; targets?: { legendFormat: string; expr: string }[] }[]
  templating: { list: Variable[] }
}

export const panelQueries: readonly PanelQuery[] = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ legendFormat, expr }) => ({ panel: title, legend: legendFormat, expr })),
)

/** Every value of each variable, as Grafana offers them. */
export async function variablesOf(
  prometheus: Prometheus,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const queries = templating.list.filter(({ type }) => type === 'query')
  const values = queries.map(async ({ name, query }) => {
    const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
    return [name, await prometheus.labelValues(label, metric)] as const
  })
  return Object.fromEntries(await Promise.all(values))
}

/** With all values of the variables chosen one by one, as a person does who wants no others. */
export const filledIn = (
  { expr }: PanelQuery,
  variables: Readonly<Record<string, readonly string[]>>,
  seconds: number,
): string =>
  expr
    .replaceAll('$__rate_interval', '15s')
    .replaceAll('$__range', `${seconds}s`)
    .replaceAll(/\$(\w+)/g, (_, name: string) => `(${(variables[name] ?? []).join('|')})`)
