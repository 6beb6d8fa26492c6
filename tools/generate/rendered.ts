import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = new URL('../../', import.meta.url)

export const chartPath = new URL('charts/stellar-x402', root).pathname

/** The files of values that come with the chart, such as `namespaced-values.yaml`. */
export const valueFiles: readonly string[] = readdirSync(`${chartPath}/ci`)

export interface RenderOptions {
  /** Full path, or nothing for the values of the chart. */
  readonly valueFile?: string
  readonly settings?: readonly string[]
  readonly release?: string
  /** @default x402-system */
  readonly namespace?: string
  readonly apiVersions?: readonly string[]
  readonly withTests?: boolean
}

/** Renders the chart with `helm template`. Throws an Error with helm's words. */
export async function renderChart(helm: string, options: RenderOptions = {}): Promise<string> {
  const {
    valueFile,
    settings = [],
    release = 'stellar-x402',
    namespace = 'x402-system',
    apiVersions = [],
    withTests,
  } = options
  const { stdout } = await run(
    helm,
    [
      'template',
      release,
      chartPath,
      `--namespace=${namespace}`,
      // Without one it is that of the machine's cluster, if there is one.
      '--kube-version=1.31.0',
      ...(withTests ? [] : ['--skip-tests']),
      ...(valueFile ? ['--values', valueFile] : []),
      ...settings.map((setting) => `--set=${setting}`),
      ...apiVersions.map((version) => `--api-versions=${version}`),
    ],
    { maxBuffer: 16 * 1024 * 1024 },
  )
  return stdout
}

/** The documents of a YAML stream, as text. */
export const documents = (yaml: string): readonly string[] =>
  yaml
    .split(/^---$/m)
    .map((text) => text.trim())
    .filter((text) => /^kind:/m.test(text))

/** `manifests/`, by path from the project's root: the chart with its defaults, for who has no helm. */
export async function manifests(helm: string): Promise<Readonly<Record<string, string>>> {
  const all = documents(await renderChart(helm)).map((text) =>
    text.replaceAll('managed-by: Helm', 'managed-by: kubectl').replace(/^# Source:.*\n/, ''),
  )
  const isDefinition = (text: string) => /^kind: CustomResourceDefinition$/m.test(text)
  const file = (texts: readonly string[]) =>
    `# Made from charts/stellar-x402 by \`make generate\`.\n${texts.map((text) => `---\n${text}\n`).join('')}`
  return {
    'manifests/crds.yaml': file(all.filter(isDefinition)),
    'manifests/operator.yaml': file(all.filter((text) => !isDefinition(text))),
  }
}

/** The rendered chart for each file of values, without the CRDs; by path from the project's root. */
export async function goldens(helm: string): Promise<Readonly<Record<string, string>>> {
  const made = await Promise.all(
    valueFiles.map(async (name): Promise<[string, string]> => {
      const text = await renderChart(helm, {
        valueFile: `${chartPath}/ci/${name}`,
        settings: ['crds.enabled=false'],
        withTests: true,
      })
      const path = `test/cluster/packaging/golden/${name.replace('-values', '')}`
      // The dashboard is a file of its own.
      return [path, text.replace(/^ {2}stellar-x402\.json: \|-\n(?: {4}.*\n)+/m, '')]
    }),
  )
  return Object.fromEntries(made)
}
