/** What an administrator sees of the releases: images, migrations, channels. */
import pg from 'pg'
import { expect, vi } from 'vitest'
import type { RealCluster } from '../../e2e/support/node.ts'

interface Deployment {
  readonly metadata: { readonly generation: number }
  readonly spec: {
    readonly replicas: number
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly image: string }[] }
    }
  }
  readonly status: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
  }
}

const soon = { timeout: 300_000, interval: 500 }

async function get<T>(cluster: RealCluster, path: string): Promise<T> {
  const { status, body, text } = await cluster.request('GET', path)
  if (status !== 200) throw new Error(`${path}: ${status}: ${text}`)
  return body as T
}

const inGroup = (namespace: string, plural: string, name: string) =>
  `/apis/x402.svc.dev/v1beta1/namespaces/${namespace}/${plural}/${name}`

/** Waits until every pod of the Facilitator `payments` runs the image, and none another one. */
export async function runsImage(
  cluster: RealCluster,
  namespace: string,
  image: string,
): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/payments-facilitator`
  await vi.waitFor(async () => {
    const { metadata, spec, status } = await get<Deployment>(cluster, path)
    expect({ image: spec.template.spec.containers[0]?.image, ...status }).toMatchObject({
      image,
      observedGeneration: metadata.generation,
      replicas: spec.replicas,
      updatedReplicas: spec.replicas,
      availableReplicas: spec.replicas,
    })
  }, soon)
}

export interface Conditions {
  readonly [type: string]: {
    readonly status: string
    readonly reason: string
    readonly message: string
  }
}

export async function conditionsOf(
  cluster: RealCluster,
  namespace: string,
  [plural, name]: readonly ['facilitators', 'payments'] | readonly ['channelpools', 'testnet'],
): Promise<Conditions> {
  const { status } = await get<{ status?: { conditions?: { type: string }[] } }>(
    cluster,
    inGroup(namespace, plural, name),
  )
  return Object.fromEntries((status?.conditions ?? []).map((each) => [each.type, each])) as never
}

interface Pool {
  readonly spec: { readonly channels?: number; readonly [field: string]: unknown }
  readonly status?: { readonly channels?: { readonly ready: number } }
}

export const poolOf = (cluster: RealCluster, namespace: string): Promise<Pool> =>
  get(cluster, inGroup(namespace, 'channelpools', 'testnet'))

/** Asks for one channel more, and waits until the operator has created it. */
export async function growsByOne(cluster: RealCluster, namespace: string): Promise<void> {
  const { status } = await poolOf(cluster, namespace)
  const channels = (status?.channels?.ready ?? 0) + 1
  await patchPool(cluster, namespace, { channels })
  await vi.waitFor(async () => {
    expect((await poolOf(cluster, namespace)).status?.channels).toMatchObject({ ready: channels })
  }, soon)
}

export async function patchPool(
  cluster: RealCluster,
  namespace: string,
  spec: Readonly<Record<string, unknown>>,
): Promise<void> {
  const patch = ['--type=merge', '-p', JSON.stringify({ spec })]
  await cluster.kubectl(['patch', '--namespace', namespace, 'channelpool/testnet', ...patch])
}

/** The migrations of a database, each with the time at which it ran. */
export async function migrationsOf(databaseUrl: string): Promise<ReadonlyMap<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select name, timestamp from kysely_migration order by name')
  await client.end()
  return new Map(rows.map(({ name, timestamp }) => [name, timestamp]))
}
