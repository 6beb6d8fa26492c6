import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { render } from '../../../src/kubernetes/operator/facilitator/render/render.ts'
import type { DesiredObject } from '../../../src/kubernetes/runtime/objects/resource.ts'
import { startHelm } from '../../cluster/support/helm.ts'
import { desiredWith, poolWith } from '../../unit/kubernetes/operator/facilitator/builders.ts'
import { pods } from './actors.ts'

type Labels = Readonly<Record<string, string>>

/** What the operator makes of a Facilitator that uses every destination. */
export interface RenderedFacilitator {
  readonly policies: readonly DesiredObject[]
  readonly services: readonly DesiredObject[]
  /** Labels of the pods of each part and Job. */
  readonly labels: Readonly<Record<string, Labels>>
}

const rpcUrls = ['https://rpc.example', 'http://rpc.example:8545']

/** @param spec further fields of the Facilitator */
export function renderFacilitator(
  spec: Readonly<Record<string, unknown>> = {},
): RenderedFacilitator {
  const desired = desiredWith(
    {
      catalog: {
        enabled: true,
        embeddings: {
          url: 'http://embeddings.example:8081/v1',
          model: 'small',
          secretRef: { name: 'embeddings' },
        },
      },
      explorer: { enabled: true, registry: ['https://other.example:7443'] },
      tracing: { endpoint: 'http://collector.example:4318' },
      ...spec,
    },
    {
      meta: { namespace: pods.facilitator.namespace },
      pools: [poolWith({ rpc: { urls: rpcUrls, allowHttp: true } })],
      secrets: { 'x402-database/url': 'postgres://svc:secret@postgres/x402' },
    },
  )
  const { independent, whilePreflight, rollouts, migration, preflight } = render(desired)
  const ofKind = (kind: string) =>
    [...independent, ...whilePreflight].filter((object) => object.kind === kind)
  const labelled = [
    ...rollouts.map(({ part, deployment }) => [part.component, deployment] as const),
    ['migration', migration] as const,
    ['preflight', preflight] as const,
  ]
  return {
    policies: ofKind('NetworkPolicy'),
    services: ofKind('Service'),
    labels: Object.fromEntries(
      labelled.map(([component, object]) => [component, templateLabels(object)]),
    ),
  }
}

export interface RenderedChart {
  readonly policy: DesiredObject
  readonly labels: Labels
}

/** What the chart makes of the values, which are YAML. */
export async function renderChart(kubeconfigPath: string, values: string): Promise<RenderedChart> {
  await using helm = await startHelm(kubeconfigPath)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-values-'))
  const file = join(folder.path, 'values.yaml')
  await writeFile(file, values)
  const { namespace } = pods.operator
  const chart = ['stellar-x402', 'charts/stellar-x402', '--namespace', namespace]
  const text = await helm.run('template', ...chart, '--values', file)
  const objects = loadAll(text) as (DesiredObject | null)[]
  const find = (kind: string) => {
    const found = objects.find((object) => object?.kind === kind)
    if (!found) throw new Error(`The chart has no ${kind}.`)
    return found
  }
  return { policy: find('NetworkPolicy'), labels: templateLabels(find('Deployment')) }
}

const templateLabels = (object: DesiredObject): Labels => {
  const { template } = Object(object['spec'])
  return Object(template.metadata.labels)
}
