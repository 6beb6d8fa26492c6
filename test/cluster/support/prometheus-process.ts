import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { toYaml } from '../../../src/kubernetes/crd/definitions/yaml.ts'
import type { AlertRule } from '../../../src/kubernetes/operator/alerts/alerts.ts'

export interface PrometheusOptions {
  readonly path: string
  /** The services to scrape, by name. */
  readonly targets: Readonly<Record<string, ScrapeTarget>>
  readonly rules: readonly AlertRule[]
}

/** A rule of relabeling, in the form of the Prometheus operator. */
type Relabeling = Readonly<Record<string, unknown>>

interface ScrapeTarget {
  readonly url: string
  /** As in the endpoint of a monitor. */
  readonly relabelings: readonly Relabeling[]
  readonly metricRelabelings?: readonly Relabeling[]
}

export interface RunningPrometheus extends AsyncDisposable {
  /** Health of each target by its name: up, down or unknown. */
  health(): Promise<Readonly<Record<string, string>>>
  /** Names of the alerts that fire, each once. */
  firing(): Promise<readonly string[]>
  /** Labels of the alerts of this name that fire. */
  labelsOf(alert: string): Promise<readonly Labels[]>
}

type Labels = Readonly<Record<string, string>>

/** Of the paths `targets` and `alerts` of its API. */
interface ApiData {
  readonly activeTargets?: readonly { readonly scrapePool: string; readonly health: string }[]
  readonly alerts?: readonly { readonly labels: Labels; readonly state: string }[]
}

/** A real Prometheus on a free port, which scrapes every second. */
export async function startPrometheus(options: PrometheusOptions): Promise<RunningPrometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-prometheus-'))
  await writeFile(join(folder, 'rules.yaml'), rulesFile(options.rules))
  await writeFile(join(folder, 'prometheus.yaml'), configuration(options.targets))
  const child = spawn(
    options.path,
    [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>()
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    const [, address] = /msg="Listening on" address=(\S+)/.exec(line) ?? []
    if (address) resolve(`http://${address}`)
  })
  void exited.then(() => reject(new Error(log.slice(-5).join('\n'))))
  const url = await listening
  const query = async (path: string): Promise<ApiData> => {
    const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: ApiData }
    return answer.data
  }
  const firing = async (): Promise<readonly Labels[]> => {
    const { alerts = [] } = await query('alerts')
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels)
  }
  return {
    health: async () => {
      const { activeTargets } = await query('targets')
      return Object.fromEntries(
        (activeTargets ?? []).map(({ scrapePool, health }) => [scrapePool, health]),
      )
    },
    firing: async () => {
      const names = (await firing()).map(({ alertname = '' }) => alertname)
      return [...new Set(names)].toSorted()
    },
    labelsOf: async (alert) => (await firing()).filter(({ alertname }) => alertname === alert),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** As in the monitors of the chart, with a shorter interval. */
const configuration = (targets: PrometheusOptions['targets']): string =>
  toYaml({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: Object.entries(targets).map(([name, target]) => ({
      job_name: name,
      honor_labels: true,
      static_configs: [{ targets: [new URL(target.url).host] }],
      relabel_configs: target.relabelings.map(inSnakeCase),
      metric_relabel_configs: (target.metricRelabelings ?? []).map(inSnakeCase),
    })),
  })

/** As the Prometheus operator writes them into the configuration. */
const inSnakeCase = (rule: Relabeling): Relabeling =>
  Object.fromEntries(
    Object.entries(rule).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )

/** With seconds in place of minutes. */
const rulesFile = (rules: readonly AlertRule[]): string =>
  toYaml({
    groups: [
      {
        name: 'all',
        rules: rules.map((rule) => ({
          ...rule,
          expr: rule.expr.replaceAll(/\[\d+[mh]\]/g, '[5s]'),
          for: '1s',
        })),
      },
    ],
  })
