import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { loadAll } from 'js-yaml'
import { describe, expect, test as plain } from 'vitest'
import { loadOperatorConfig } from '../../../src/settings/operator.ts'
import { chartPath, documents, renderChart, valueFiles } from '../../../tools/generate/rendered.ts'
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
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly kind: string
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: object }[]
  readonly spec: {
    readonly policyTypes?: readonly string[]
    readonly egress?: readonly { readonly ports?: readonly { readonly port: number }[] }[]
    readonly template: { readonly spec: PodSpec }
  }
}

const LABEL = 'app.kubernetes.io/component'

interface Resources {
  readonly requests: object
  readonly limits: object
}

interface PodSpec {
  readonly securityContext: object
  readonly imagePullSecrets?: readonly object[]
  readonly containers: readonly {
    readonly image: string
    readonly env: readonly { readonly name: string; readonly value?: string }[]
  }[]
}

async function rendered(
  helmPath: string,
  options: Parameters<typeof renderChart>[1] = {},
): Promise<readonly Rendered[]> {
  const text = await renderChart(helmPath, options)
  return documents(text).flatMap((each) => loadAll(each).map((object) => object as Rendered))
}

const podOf = (objects: readonly Rendered[]): PodSpec => {
  const found = objects.find(({ kind }) => kind === 'Deployment')
  if (!found) throw new Error('there is no Deployment')
  return found.spec.template.spec
}

describe("the operator's pods", () => {
  test.for(['', ...valueFiles])('start with the settings of %s', async (name, { helmPath }) => {
    const valueFile = name === '' ? {} : { valueFile: `${chartPath}/ci/${name}` }
    const [operator] = podOf(await rendered(helmPath, valueFile)).containers
    const variables = operator?.env.flatMap(({ name: variable, value }) =>
      value === undefined ? [] : [[variable, value]],
    )
    const config = loadOperatorConfig(Object.fromEntries(variables ?? []))
    expect(config.facilitatorImage).toBe(operator?.image)
  })

  test('reach the API server and a Postgres in the cluster, whatever plugin enforces policies', async ({
    helmPath,
  }) => {
    const policy = (objects: readonly Rendered[]) =>
      objects.find(({ kind }) => kind === 'NetworkPolicy')?.spec
    const usual = policy(await rendered(helmPath))
    expect(usual?.policyTypes).toEqual(['Ingress'])
    expect(usual).not.toHaveProperty('egress')
    const narrow = policy(
      await rendered(helmPath, {
        settings: ['networkPolicy.egress[0].to[0].podSelector.matchLabels.a=b'],
      }),
    )
    expect(narrow?.policyTypes).toEqual(['Ingress', 'Egress'])
    expect(narrow?.egress).toEqual([{ to: [{ podSelector: { matchLabels: { a: 'b' } } }] }])
  })

  test.for([
    { settings: [], image: 'stellar-x402:0.1.0' },
    {
      settings: ['global.imageRegistry=mirror.example:5000'],
      image: 'mirror.example:5000/stellar-x402:0.1.0',
    },
    { settings: ['image.tag=1.2'], image: 'stellar-x402:1.2' },
    {
      settings: [`image.digest=sha256:${'a'.repeat(64)}`],
      image: `stellar-x402@sha256:${'a'.repeat(64)}`,
    },
    {
      settings: ['image.tag=1.2', `image.digest=sha256:${'a'.repeat(64)}`],
      image: `stellar-x402:1.2@sha256:${'a'.repeat(64)}`,
    },
  ])('run $image', async ({ settings, image }, { helmPath }) => {
    const pod = podOf(await rendered(helmPath, { settings }))
    expect(pod.containers.map((container) => container.image)).toEqual([image])
  })

  test('leave user and group to OpenShift', async ({ helmPath }) => {
    const fixed = ['runAsUser', 'runAsGroup', 'fsGroup']
    const settings = fixed.map((key) => `podSecurityContext.${key}=null`)
    expect(podOf(await rendered(helmPath, { settings })).securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
  })

  test('need the right to list Secrets only where they watch them', async ({ helmPath }) => {
    const verbs = (objects: readonly Rendered[]) =>
      objects
        .flatMap(({ rules = [] }) => rules)
        .filter(({ resources }) => resources.includes('secrets'))
        .map((rule) => rule.verbs)
    const [byName, watching] = [
      ['get', 'patch'],
      ['get', 'patch', 'list', 'watch'],
    ]
    // That of the operator's own key.
    const own = ['get', 'patch']
    expect(verbs(await rendered(helmPath))).toEqual([byName, own])
    const withSettings = async (...settings: readonly string[]) =>
      verbs(await rendered(helmPath, { settings }))
    expect(await withSettings('secrets.watch=true')).toEqual([watching, own])
    expect(await withSettings('watchNamespaces={a,b}')).toEqual([watching, watching, own])
    expect(await withSettings('watchNamespaces={a}', 'secrets.watch=false')).toEqual([byName, own])
    expect(await withSettings('secrets.namespaces={a,b}')).toEqual([watching, watching, own])
  })

  test('keep the ports of a values file of an earlier chart', async ({ helmPath }) => {
    const settings = ['networkPolicy.egressPorts={443,5432,6443}']
    await run(helmPath, ['lint', '--strict', chartPath, ...settings.map((each) => `--set=${each}`)])
    const policy = (await rendered(helmPath, { settings })).find(
      ({ kind }) => kind === 'NetworkPolicy',
    )
    const ports = policy?.spec.egress?.map((rule) => rule.ports?.map((each) => each.port))
    expect(ports).toEqual([
      [53, 53],
      [5353, 5353],
      [443, 5432, 6443],
    ])
  })

  test('and those of the hooks have a policy, and bounds of their ephemeral storage', async ({
    helmPath,
  }) => {
    const settings = ['crds.keep=false', 'tests.facilitatorUrl=https://pay.example:8443']
    const objects = await rendered(helmPath, { settings, withTests: true })
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy')
    const policyOf = (component: string) =>
      policies.find(({ spec }) => Object(spec).podSelector.matchLabels[LABEL] === component)?.spec
    expect(policyOf('uninstall-check')).toMatchObject({ policyTypes: ['Ingress'] })
    const test = policyOf('test')
    expect(test?.policyTypes).toEqual(['Ingress', 'Egress'])
    expect(test).not.toHaveProperty('ingress')
    const ports = test?.egress?.map((rule) => rule.ports?.map((each) => each.port))
    expect(ports).toEqual([[53, 53], [5353, 5353], [9090], undefined, [8443]])

    const containers = objects.flatMap((object) => {
      const { containers: own, template } = Object(object.spec ?? {})
      return (own ?? template?.spec.containers ?? []) as { resources: Resources }[]
    })
    expect(containers).toHaveLength(3)
    for (const { resources } of containers) {
      expect(resources.requests).toHaveProperty('ephemeral-storage')
      expect(resources.limits).toHaveProperty('ephemeral-storage')
    }
  })

  test('read Secrets of listed namespaces alone, beside the resources of all', async ({
    helmPath,
  }) => {
    const objects = await rendered(helmPath, { settings: ['secrets.namespaces={shop,team}'] })
    const withSecrets = objects
      .filter(({ rules = [] }) => rules.some(({ resources }) => resources.includes('secrets')))
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`)
    expect(withSecrets).toEqual([
      'Role shop stellar-x402-secrets',
      'Role team stellar-x402-secrets',
      'Role x402-system stellar-x402-leader',
    ])
    const [operator] = podOf(objects).containers
    const values = Object.fromEntries(operator?.env.map(({ name, value }) => [name, value]) ?? [])
    expect(values).toMatchObject({
      SECRETS_WATCH: 'true',
      SECRETS_NAMESPACES: 'shop,team',
      WATCH_NAMESPACES: '',
    })
  })
})
