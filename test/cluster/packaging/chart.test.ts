import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { loadAll } from 'js-yaml'
import { describe, expect, test as plain } from 'vitest'
import {
  chartPath,
  documents,
  goldens,
  manifests,
  renderChart,
  valueFiles,
} from '../../../tools/generate/rendered.ts'
import { helm } from '../support/tools.ts'

const run = promisify(execFile)

const test = plain.extend<{ helmPath: string }>({
  helmPath: async ({ skip }, use) => {
    const tool = await helm()
    if ('missing' in tool) return skip(`there is no helm: ${tool.missing}`)
    await use(tool.path)
  },
})

interface Rendered {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> }
  readonly rules?: readonly object[]
}

const parse = (yaml: string): readonly Rendered[] =>
  documents(yaml).flatMap((text) => loadAll(text).map((object) => object as Rendered))

const committed = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const roles = (objects: readonly Rendered[]) =>
  objects
    .filter(({ kind }) => kind.endsWith('Role'))
    .map(({ kind, metadata, rules }) => ({ kind, name: metadata.name, rules }))

describe('the chart', () => {
  test('renders manifests/ and the golden files', async ({ helmPath }) => {
    const made = { ...(await manifests(helmPath)), ...(await goldens(helmPath)) }
    for (const [path, text] of Object.entries(made)) {
      expect(committed(path), `${path}: run \`make generate\` and commit`).toBe(text)
    }
  })

  test.for(['', ...valueFiles])('passes the lint with %s', async (name, { helmPath }) => {
    const values = name === '' ? [] : ['--values', `${chartPath}/ci/${name}`]
    await run(helmPath, ['lint', '--strict', chartPath, ...values])
  })

  test.for([
    { setting: 'replicas=two', message: "at '/replicas': got string, want integer" },
    { setting: 'replica=2', message: "additional properties 'replica' not allowed" },
    { setting: 'image.digest=latest', message: "at '/image/digest'" },
    {
      setting: 'monitoring.mode=Sometimes',
      message: "value must be one of 'Auto', 'Always', 'Never'",
    },
    { setting: 'watchNamespaces[0]=Not_A_Name', message: "at '/watchNamespaces/0'" },
    { setting: 'networkPolicy.egressPorts[0]=0', message: 'minimum: got 0, want 1' },
  ])('refuses $setting with a clear message', async ({ setting, message }, { helmPath }) => {
    await expect(renderChart(helmPath, { settings: [setting] })).rejects.toThrow(message)
  })

  test('is refused by an old cluster', async ({ helmPath }) => {
    const old = run(helmPath, ['template', 'x', chartPath, '--kube-version=1.30.0'])
    await expect(old).rejects.toThrow('1.31.0')
  })

  test('keeps every name within 63 characters, and every suffix', async ({ helmPath }) => {
    const release = `r${'-long'.repeat(10)}`
    const text = await renderChart(helmPath, {
      release,
      settings: [`fullnameOverride=${'n'.repeat(63)}`],
      withTests: true,
    })
    const ours = parse(text).filter(({ kind }) => kind !== 'CustomResourceDefinition')
    for (const { metadata } of ours) {
      expect(metadata.name.length).toBeLessThanOrEqual(63)
      for (const value of Object.values(metadata.labels ?? {})) {
        expect(value.length).toBeLessThanOrEqual(63)
      }
    }
    expect(ours.map(({ metadata }) => metadata.name)).toContain(`${'n'.repeat(54)}-operator`)
  })

  test('grants the same permissions with helm and with kubectl', async ({ helmPath }) => {
    const byHelm = roles(parse(await renderChart(helmPath)))
    expect(byHelm.length).toBe(5)
    expect(roles(parse(committed('manifests/operator.yaml')))).toEqual(byHelm)
  })

  test('grants the same permissions in listed namespaces, and none in others', async ({
    helmPath,
  }) => {
    // In the listed namespaces the operator watches Secrets.
    const settings = ['secrets.watch=true']
    const everywhere = roles(parse(await renderChart(helmPath, { settings })))
    const listed = parse(
      await renderChart(helmPath, { valueFile: `${chartPath}/ci/namespaced-values.yaml` }),
    )
    expect(listed.filter(({ kind }) => kind.startsWith('ClusterRole'))).toEqual([])
    const expected = everywhere.find(({ name }) => name === 'stellar-x402-operator')?.rules
    const given = roles(listed).filter(({ name }) => name === 'stellar-x402-operator')
    expect(given.map(({ rules }) => rules)).toEqual([expected, expected])
  })

  test('creates monitors and rules only where the cluster serves them', async ({ helmPath }) => {
    const kinds = async (apiVersions: readonly string[]) =>
      parse(await renderChart(helmPath, { apiVersions })).map(({ kind }) => kind)
    const known = ['PodMonitor', 'PrometheusRule'].map((kind) => `monitoring.coreos.com/v1/${kind}`)
    expect(await kinds(known)).toEqual(expect.arrayContaining(['PodMonitor', 'PrometheusRule']))
    expect((await kinds([])).filter((kind) => /Monitor|Prometheus/.test(kind))).toEqual([])
  })

  test('prints at most 15 lines after the installation', () => {
    const notes = committed('charts/stellar-x402/templates/NOTES.txt')
    expect(notes.trim().split('\n').length).toBeLessThanOrEqual(15)
  })
})
