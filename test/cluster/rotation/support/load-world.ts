/**
 * A pool whose Facilitator runs: the operator and every pod are real processes, the pods are replaced by the real
 * controllers, and a Service leads to those that are Ready. For rotations under load.
 */
import { expect, vi } from 'vitest'
import { API_VERSION, kinds } from '../../../../src/kubernetes/crd/names/group.ts'
import { facilitatorManifest, type Json } from '../../../support/api/manifests.ts'
import { type KeptRunning, keepRunning } from '../../chaos/support/kept-running.ts'
import { brisk } from '../../chaos/support/pace.ts'
import {
  isReady,
  openPoolWorld,
  type PoolWorld,
} from '../../kubernetes/operator/channel-pool/pool-world.ts'
import { rotationPatience } from '../../kubernetes/operator/channel-pool/rotation/rotation-world.ts'
import { startLocalNode } from '../../pods/local-node.ts'
import type { PodProcess } from '../../pods/pod-process.ts'
import type { Cluster } from '../../support/cluster.ts'
import { startPodService } from './pod-service.ts'

/** Addresses in place of those of the world: of proxies in front of it, for tests that break the connections. */
interface LoadRoutes {
  /** Of the RPC, for the operator and the pods. */
  readonly rpcUrl?: string
  /** Of the database, for the operator and the pods. */
  readonly databaseUrl?: string
  /** Of the API server, for the operator. */
  readonly kubeconfigPath?: string
}

export interface LoadWorldOptions {
  /** Opens the proxies; what it uses ends before the world does. */
  readonly routes?: (world: PoolWorld, opened: AsyncDisposableStack) => Promise<LoadRoutes>
  /** Changes of the operator's environment. */
  readonly operator?: Readonly<Record<string, string>>
  /** The stock client assumes 5 s: what it signs is valid for a fifth of that time. @default 1_000 */
  readonly closeEveryMs?: number
  /** Members of the Facilitator's network, such as `upto`. */
  readonly network?: (world: PoolWorld) => Promise<Json>
}

export interface LoadWorld extends PoolWorld {
  /** Of the Service of the facilitator. */
  readonly facilitatorUrl: string
  /** Of the RPC, for buyers. */
  readonly rpcUrl: string
  /** A process that is started again a second after its end. */
  readonly operator: KeptRunning
  /** The processes of the facilitator, also those that are being ended. */
  replicas(): readonly PodProcess[]
  /** Resolves when both pods of the newest template serve and no other does. */
  untilServed(): Promise<void>
}

const REPLICAS = 2
/**
 * Three payments a second on ledgers of 1 s need five. After a time without any replica, what buyers could not pay comes at
 * once, while the settlements of the killed replicas still hold theirs.
 */
export const CHANNELS = 40
const patience = { timeout: 240_000, interval: 200 }
const path = (namespace: string) =>
  `/apis/${API_VERSION}/namespaces/${namespace}/${kinds.Facilitator.plural}/payments`

export async function openLoadWorld(
  cluster: Cluster,
  { routes, operator: changes = {}, closeEveryMs = 1_000, network }: LoadWorldOptions = {},
): Promise<LoadWorld> {
  await using opened = new AsyncDisposableStack()
  const labels = { 'svc.dev/run-by': 'test' }
  const pool = opened.use(
    await openPoolWorld(cluster, { lumens: 500n, closeEveryMs, labels, schema: false }),
  )
  const { namespace, localnet } = pool
  const { rpcUrl, databaseUrl, kubeconfigPath } = (await routes?.(pool, opened)) ?? {}
  if (databaseUrl !== undefined) await pool.secret('x402-database', { url: databaseUrl })
  const environment = {
    ...brisk,
    FACILITATOR_IMAGE: 'registry.example/stellar-x402:dev',
    ...changes,
  }
  const operator = opened.use(keepRunning(() => pool.operate(environment, kubeconfigPath)))
  const node = opened.use(await startLocalNode(cluster, namespace))
  const replicas = () => node.pods.filter(({ name }) => name.includes('-facilitator-'))
  const service = opened.use(await startPodService(replicas))
  const facilitatorUrl = service.url
  const untilServed = () => untilServedBy(pool, replicas)
  const world = {
    ...pool,
    operator,
    replicas,
    facilitatorUrl,
    rpcUrl: localnet.httpUrl,
    untilServed,
  }
  await pool.apply({ channels: CHANNELS, ...(rpcUrl !== undefined && { rpc: { urls: [rpcUrl] } }) })
  await applyFacilitator(pool, (await network?.(pool)) ?? {})
  await untilServed()
  await pool.until(isReady, undefined, rotationPatience)
  const resources = opened.move()
  return { ...world, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function applyFacilitator({ cluster, namespace }: PoolWorld, network: Json): Promise<void> {
  const networks = [{ channelPool: 'testnet', ...network }]
  const input = JSON.stringify(facilitatorManifest({ replicas: REPLICAS, networks }))
  await cluster.kubectl(['-n', namespace, 'apply', '--server-side', '-f', '-'], { input })
}

const untilServedBy = (
  { cluster, namespace }: PoolWorld,
  replicas: () => readonly PodProcess[],
): Promise<void> =>
  vi.waitFor(async () => {
    const { metadata, status } = Object((await cluster.request('GET', path(namespace))).body)
    expect(status?.observedGeneration, said(replicas())).toBe(metadata.generation)
    expect(status.conditions, said(replicas())).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    )
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Progressing', status: 'False' }),
    )
    expect(replicas().filter(({ isServing }) => isServing)).toHaveLength(REPLICAS)
    expect(replicas()).toHaveLength(REPLICAS)
  }, patience)

/** The ends of the output of pods, for the message of a failed test. */
const said = (pods: readonly PodProcess[]): string =>
  pods.map(({ name, output }) => `${name}:\n${output.join('').slice(-2_000)}`).join('\n')
