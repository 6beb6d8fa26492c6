import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { load, loadAll } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { loadOperatorConfig, operatorSettings } from '../../../src/settings/operator.ts'

/* Tests of chart and manifests that need no helm. */

interface Manifest {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own spec
  readonly spec?: any
  readonly rules?: readonly unknown[]
  readonly roleRef?: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly name: string; readonly namespace: string }[]
}

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const manifestsIn = (path: string): readonly Manifest[] =>
  loadAll(read(path)).map((each) => Object(each) as Manifest)

const operator = manifestsIn('manifests/operator.yaml')
const namespaces = manifestsIn('manifests/namespace.yaml')
const one = (kind: string): Manifest => {
  const found = operator.find((each) => each.kind === kind)
  if (!found) throw new Error(`there is no ${kind}`)
  return found
}
const pod = one('Deployment').spec.template
const [container] = pod.spec.containers

describe('the manifests', () => {
  test('contain the definitions of the code', () => {
    const rendered = manifestsIn('manifests/crds.yaml')
    const expected = readdirSync(new URL('crds/', root)).flatMap((name) =>
      manifestsIn(`crds/${name}`),
    )
    const specs = (all: readonly Manifest[]) =>
      Object.fromEntries(all.map(({ metadata, spec }) => [metadata.name, spec]))
    expect(specs(rendered)).toEqual(specs(expected))
  })

  test('set only valid settings of svc operator', () => {
    const variables: readonly { name: string; value?: string }[] = container.env
    const known = Object.keys(operatorSettings)
    expect(variables.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
    const values = variables.map(({ name, value }) => [name, value ?? 'from-the-pod'])
    expect(loadOperatorConfig(Object.fromEntries(values))).toMatchObject({
      namespaces: [],
      adminPort: container.ports[0].containerPort,
      facilitatorImage: container.image,
    })
    expect(container.args).toEqual(['operator'])
  })

  test('select their own pods', () => {
    const selectors = [
      one('Deployment').spec.selector.matchLabels,
      one('Service').spec.selector,
      one('PodDisruptionBudget').spec.selector.matchLabels,
      one('NetworkPolicy').spec.podSelector.matchLabels,
    ]
    for (const selector of selectors) {
      expect(selector).toEqual(selectors[0])
      expect(pod.metadata.labels).toMatchObject(selector)
    }
  })

  test('run restricted pods with a read-only root', () => {
    expect(namespaces[0]?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    })
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(pod.spec.securityContext.runAsUser).toBeGreaterThan(10_000)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.resources.limits.memory).toBe('512Mi')
  })

  test('bind each role to the ServiceAccount of the pods', () => {
    const account = pod.spec.serviceAccountName
    const bindings = operator.filter(({ kind }) => kind.endsWith('Binding'))
    expect(bindings).toHaveLength(2)
    for (const { roleRef, subjects } of bindings) {
      expect(subjects).toMatchObject([{ name: account, namespace: 'x402-system' }])
      const role = operator.find(
        ({ kind, metadata }) => kind === roleRef?.kind && metadata.name === roleRef.name,
      )
      expect(role?.rules?.length, roleRef?.name).toBeGreaterThan(0)
    }
  })

  test('let the operator write the key of its digests into a Secret that is there, and create no Secret', () => {
    const [variable] = container.env.filter(
      ({ name }: { readonly name: string }) => name === 'DIGEST_KEY_SECRET',
    )
    const ofSecrets = operator
      .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
      .flatMap(({ kind, rules = [] }) => rules.map((rule) => ({ kind, ...Object(rule) })))
      .filter(({ resources = [] }) => resources.includes('secrets') || resources.includes('*'))
    expect(ofSecrets.filter(({ kind }) => kind === 'Role')).toMatchObject([
      { resourceNames: [variable.value], verbs: ['get', 'patch'] },
    ])
    expect(ofSecrets.flatMap(({ verbs }) => verbs)).not.toContain('create')
    const secret = operator.find(({ kind }) => kind === 'Secret')
    expect(secret?.metadata).toMatchObject({ name: variable.value, namespace: 'x402-system' })
    // What to do when it is gone, as an upgrade with helm does.
    expect(secret).not.toHaveProperty('data')
    expect(read('docs/operator.md')).toContain(
      `kubectl create secret generic ${variable.value.replace('stellar-x402', '<release>')}`,
    )
  })

  test('put every namespaced object into the namespace of the operator', () => {
    const ofCluster = ['ClusterRole', 'ClusterRoleBinding']
    const elsewhere = operator.filter(
      ({ kind, metadata }) => !ofCluster.includes(kind) && metadata.namespace !== 'x402-system',
    )
    expect(elsewhere).toEqual([])
    expect(namespaces[0]?.metadata.name).toBe('x402-system')
  })
})

describe('the schema of the chart', () => {
  const check = new Ajv({ allowUnionTypes: true }).compile(
    JSON.parse(read('charts/stellar-x402/values.schema.json')),
  )
  const files = readdirSync(new URL('charts/stellar-x402/ci/', root)).map((name) => `ci/${name}`)

  test.each(['values.yaml', ...files])('takes %s', (name) => {
    check(load(read(`charts/stellar-x402/${name}`)))
    expect(check.errors).toBeNull()
  })

  test.each([
    { replicas: 'two' },
    { replica: 2 },
    { image: { repository: 'svc', digest: 'latest' } },
    { monitoring: { mode: 'Sometimes' } },
    { watchNamespaces: ['Not_A_Name'] },
    { monitoring: { runbookUrl: 'https://runbooks.example/' } },
  ])('refuses %j', (values) => {
    expect(check(values)).toBe(false)
  })
})
