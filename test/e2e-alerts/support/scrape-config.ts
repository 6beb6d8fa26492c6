/**
 * The configuration that the Prometheus operator generates for the monitors and rules of a cluster, by its own code:
 * test/e2e/scrape-config is a small program around that operator's selectors and generator.
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { load } from 'js-yaml'
import { toYaml } from '../../../src/kubernetes/crd/definitions/yaml.ts'
import type { AlertRule } from '../../../src/kubernetes/operator/alerts/alerts.ts'
import { buildGoTool, type Tool } from '../../cluster/support/go-build.ts'

const run = promisify(execFile)

/** Needs Go; nothing of it runs in a cluster. */
export const scrapeConfigTool = (): Promise<Tool> =>
  buildGoTool({
    name: 'scrape-config',
    folder: join(import.meta.dirname, '../../e2e/scrape-config'),
    target: '.',
    ldflags: '-s -w',
    duration: '3 minutes',
  })

/** A job of the configuration of Prometheus, as far as the tests read it. */
export interface ScrapeJob {
  readonly job_name: string
  readonly scrape_interval?: string
  readonly honor_labels?: boolean
  readonly kubernetes_sd_configs?: readonly Readonly<Record<string, unknown>>[]
  readonly [member: string]: unknown
}

export interface Generated {
  readonly jobs: readonly ScrapeJob[]
  readonly rules: readonly AlertRule[]
}

export interface GenerateOptions {
  /** Path of the program. */
  readonly tool: string
  readonly kubeconfigPath: string
  /** For its output; created. */
  readonly folder: string
  /** Of the Prometheus object: selectors, or an API server outside of its pod. */
  readonly spec?: Readonly<Record<string, unknown>>
}

/** Selects every monitor and rule of every namespace, unless the spec says otherwise. */
export async function generateScrapeConfig(options: GenerateOptions): Promise<Generated> {
  const { tool, kubeconfigPath, folder, spec = {} } = options
  await mkdir(folder, { recursive: true })
  const object = join(folder, 'object.yaml')
  await writeFile(object, toYaml({ ...prometheusObject, spec: { ...everything, ...spec } }))
  await run(tool, ['-kubeconfig', kubeconfigPath, '-prometheus', object, '-out', folder])
  const { scrape_configs: jobs } = Object(
    load(await readFile(join(folder, 'prometheus.yaml'), 'utf8')),
  )
  const rules = []
  for (const file of await readdir(join(folder, 'rules'))) {
    const { groups } = Object(load(await readFile(join(folder, 'rules', file), 'utf8')))
    rules.push(...groups.flatMap((group: { rules: AlertRule[] }) => group.rules))
  }
  return { jobs: jobs ?? [], rules }
}

const prometheusObject = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Prometheus',
  metadata: { name: 'e2e', namespace: 'monitoring' },
}

/** An empty selector selects everything, as in the values of kube-prometheus-stack that the documents name. */
const everything = {
  version: 'v2.42.0',
  podMonitorSelector: {},
  podMonitorNamespaceSelector: {},
  serviceMonitorSelector: {},
  serviceMonitorNamespaceSelector: {},
  ruleSelector: {},
  ruleNamespaceSelector: {},
}
