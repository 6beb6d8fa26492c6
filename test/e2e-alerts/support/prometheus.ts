/** A real Prometheus with a given configuration and scaled rules, which a test asks what it sees. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { toYaml } from '../../../src/kubernetes/crd/definitions/yaml.ts'
import type { AlertRule } from '../../../src/kubernetes/operator/alerts/alerts.ts'
import type { ScrapeJob } from './scrape-config.ts'

export type Labels = Readonly<Record<string, string>>

interface Target {
  readonly labels: Labels
  readonly scrapePool: string
  readonly scrapeUrl: string
  readonly health: string
  readonly lastError: string
}

export interface ActiveAlert {
  readonly state: 'pending' | 'firing'
  readonly labels: Labels
  readonly annotations: Labels
}

export interface Prometheus extends AsyncDisposable {
  readonly url: string
  targets(): Promise<readonly Target[]>
  /** The alerts of this name that fire or may fire soon. */
  active(alert: string): Promise<readonly ActiveAlert[]>
  /** Series of an instant query, at present. */
  query(expression: string): Promise<readonly { readonly metric: Labels; readonly value: number }[]>
  /** Series of a query over the last seconds. */
  range(expression: string, seconds: number): Promise<readonly { readonly metric: Labels }[]>
  /** Values of a label, as a variable of a dashboard asks for them. */
  labelValues(label: string, match: string): Promise<readonly string[]>
}

export interface PrometheusOptions {
  readonly path: string
  readonly jobs: readonly ScrapeJob[]
  readonly rules?: readonly AlertRule[]
  /** Of a pod: the program then runs in the pod's network. @default this machine's loopback */
  readonly network?: { readonly address: string; readonly enter: readonly string[] }
}

/** Scrapes and evaluates every second, on a free port. */
export async function runPrometheus({ path, jobs, rules = [], network }: PrometheusOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-prometheus-'))
  await writeFile(join(folder, 'rules.yaml'), toYaml({ groups: groupsOf(rules) }))
  await writeFile(join(folder, 'prometheus.yaml'), configurationOf(jobs))
  const [program = path, ...words] = [...(network?.enter ?? []), path]
  const child = spawn(
    program,
    [
      ...words,
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${network?.address ?? '127.0.0.1'}:0`,
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
  return prometheusAt(await listening, async () => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true, force: true })
  })
}

function prometheusAt(url: string, stop: () => Promise<void>): Prometheus {
  const ask = async (path: string, parameters: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const { status, data, error } = Object(await answer.json())
    if (status !== 'success') throw new Error(`${JSON.stringify(parameters)}: ${error}`)
    return data
  }
  return {
    url,
    targets: async () => Object(await ask('targets')).activeTargets,
    active: async (alert) => {
      const { alerts } = Object(await ask('alerts'))
      return alerts.filter(({ labels }: ActiveAlert) => labels['alertname'] === alert)
    },
    query: async (query) => {
      const { result } = Object(await ask('query', { query }))
      return result.map(({ metric, value }: { metric: Labels; value: [number, string] }) => ({
        metric,
        value: Number(value[1]),
      }))
    },
    range: async (query, seconds) => {
      const end = Date.now() / 1_000
      const window = { start: String(end - seconds), end: String(end), step: '2' }
      return Object(await ask('query_range', { query, ...window })).result
    },
    labelValues: (label, match) => ask(`label/${label}/values`, { 'match[]': match }),
    [Symbol.asyncDispose]: stop,
  }
}

/** Each rule in a group of its own: Prometheus evaluates the rules of a group one after the other. */
const groupsOf = (rules: readonly AlertRule[]): readonly object[] =>
  rules.map((rule, at) => ({ name: `${at}-${rule.alert}`, interval: '1s', rules: [rule] }))

const configurationOf = (jobs: readonly ScrapeJob[]): string =>
  toYaml({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    // The monitors ask for 30 s: a test cannot wait that long between two values.
    scrape_configs: jobs.map((job) => ({ ...job, scrape_interval: '1s', scrape_timeout: '1s' })),
  })
