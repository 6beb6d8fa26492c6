import { randomBytes } from 'node:crypto'
import { expect, vi } from 'vitest'
import type { ChannelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import { API_VERSION, kinds } from '../../../../../src/kubernetes/crd/names/group.ts'
import {
  type LocalnetServer,
  startLocalnetServer,
} from '../../../../../src/localnet/server/server.ts'
import { channelSigner } from '../../../../../src/payments/channels/derive.ts'
import { openStore, type Store } from '../../../../../src/platform/database/open.ts'
import { secretOfSeed, signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { type RpcClient, rpcClient } from '../../../../../src/stellar/rpc/rpc-client.ts'
import { type Json, poolManifest } from '../../../../support/api/manifests.ts'
import { bareDatabase, freshDatabase } from '../../../../support/postgres.ts'
import type { Cluster } from '../../../support/cluster.ts'
import { installDefinitions } from '../../crd/objects.ts'
import { type OperatorProcess, startOperator } from '../operator-process.ts'

export const LUMEN = 10_000_000n
const patience = { timeout: 45_000, interval: 50 }
const network = 'stellar:testnet'
const timings = {
  RESYNC_SECONDS: '3',
  LOG_LEVEL: 'info',
}

/** A namespace of the real API server, a real ledger, a database, and the Secrets of a pool. */
export interface PoolWorld extends AsyncDisposable {
  readonly cluster: Cluster
  readonly namespace: string
  readonly localnet: LocalnetServer
  readonly rpc: RpcClient
  readonly store: Store
  readonly databaseUrl: string
  readonly sponsor: { readonly address: string; readonly secret: string }
  /** An operator for this namespace, optionally with another kubeconfig. */
  operate(environment?: Readonly<Record<string, string>>, kubeconfig?: string): OperatorProcess
  secret(name: string, data: Readonly<Record<string, string>>): Promise<void>
  apply(spec?: Json, name?: string): Promise<void>
  patch(body: Json, name?: string): Promise<void>
  delete(name?: string): Promise<void>
  get(name?: string): Promise<ChannelPool | undefined>
  /** Resolves with the pool once the expectation holds; fails with its last state otherwise. */
  until(
    expectation: (pool: ChannelPool | undefined) => void | Promise<void>,
    name?: string,
    within?: typeof patience,
  ): Promise<ChannelPool>
  /** Indices of the channel accounts on the ledger. */
  onLedger(): Promise<readonly number[]>
  /** Reserves that the sponsor pays: two for each account, even one that the store does not know. */
  sponsoring(): Promise<number>
}

export interface PoolWorldOptions {
  /** Balance of the sponsor; without it the account does not exist. */
  readonly lumens?: bigint
  readonly closeEveryMs?: number
  /** Of the namespace. */
  readonly labels?: Readonly<Record<string, string>>
  /** For stock clients, which only use https. */
  readonly tls?: boolean
  /** Whether the database has the schema from the start. */
  readonly schema?: boolean
}

export async function openPoolWorld(
  cluster: Cluster,
  {
    lumens = 100n,
    closeEveryMs = 300,
    labels = {},
    tls = false,
    schema = true,
  }: PoolWorldOptions = {},
): Promise<PoolWorld> {
  await using opened = new AsyncDisposableStack()
  await installDefinitions(cluster)
  const { name: namespace } = opened.use(await cluster.namespace('pool', { labels }))
  const localnet = opened.use(await startLocalnetServer({ closeEveryMs, tls }))
  const database = opened.use(await (schema ? freshDatabase() : bareDatabase()))
  const store = opened.use(await openStore({ kind: 'postgres', url: database.url, poolSize: 2 }))
  const seed = randomBytes(32)
  const sponsor = { address: signerFromSeed(seed).address, secret: secretOfSeed(seed) }
  if (lumens > 0n) {
    await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: lumens * LUMEN })
  }
  const world = worldOf({ cluster, namespace, localnet, store, sponsor, url: database.url })
  await world.secret('testnet-sponsor', { secret: sponsor.secret })
  await world.secret('x402-database', { url: database.url })
  const resources = opened.move()
  return { ...world, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

interface Parts
  extends Pick<PoolWorld, 'cluster' | 'namespace' | 'localnet' | 'store' | 'sponsor'> {
  readonly url: string
}

function worldOf(parts: Parts): Omit<PoolWorld, keyof AsyncDisposable> {
  const { cluster, namespace, localnet, sponsor, url } = parts
  const rpc = rpcClient({ url: localnet.httpUrl, allowHttp: true })
  const path = (name = 'testnet') =>
    `/apis/${API_VERSION}/namespaces/${namespace}/${kinds.ChannelPool.plural}/${name}`
  const demand = async (method: string, at: string, body?: Json, contentType?: string) => {
    const answer = await cluster.request(method, at, {
      ...(body && { body }),
      ...(contentType && { contentType }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${at}: ${answer.text}`)
    return answer.body
  }
  const applyObject = (at: string, object: Json) =>
    demand('PATCH', `${at}?fieldManager=test&force=true`, object, 'application/apply-patch+yaml')
  const get = async (name?: string) => {
    const { status, body } = await cluster.request('GET', path(name))
    return status === 200 ? (Object(body) as ChannelPool) : undefined
  }
  return {
    ...parts,
    rpc,
    databaseUrl: url,
    operate: (environment = {}, kubeconfig = cluster.kubeconfigPath) =>
      startOperator(kubeconfig, {
        ...timings,
        WATCH_NAMESPACES: namespace,
        POD_NAMESPACE: namespace,
        ...environment,
      }),
    secret: async (name, data) => {
      const metadata = { name, labels: { 'x402.svc.dev/watch': 'true' } }
      const object = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: data }
      await applyObject(`/api/v1/namespaces/${namespace}/secrets/${name}`, object)
    },
    apply: async (spec = {}, name = 'testnet') => {
      const rpcUrls = { rpc: { urls: [localnet.httpUrl] } }
      const manifest = poolManifest({ ...rpcUrls, ...spec }, { name })
      await applyObject(path(name), { ...manifest })
    },
    patch: async (body, name) => {
      await demand('PATCH', path(name), body, 'application/merge-patch+json')
    },
    delete: async (name) => {
      await demand('DELETE', path(name))
    },
    get,
    until: async (expectation, name, within = patience) => {
      let last: ChannelPool | undefined
      try {
        return await vi.waitFor(async () => {
          last = await get(name)
          await expectation(last)
          return last as ChannelPool
        }, within)
      } catch (error) {
        throw new Error(`${String(error)}\nthe pool: ${JSON.stringify(last?.status, null, 1)}`)
      }
    },
    onLedger: async () => {
      const signers = Array.from({ length: 60 }, (_, index) =>
        channelSigner(sponsor.secret, network, index),
      )
      const found = await rpc.accounts(signers.map(({ address }) => address))
      return signers.flatMap(({ address }, index) => (found.has(address) ? [index] : []))
    },
    sponsoring: async () => {
      const accounts = await rpc.accounts([sponsor.address])
      return accounts.get(sponsor.address)?.sponsoring ?? 0
    },
  }
}

export const condition = (pool: ChannelPool | undefined, type: string) =>
  pool?.status?.conditions?.find((each) => each.type === type)

export const isReady = (pool: ChannelPool | undefined): void => {
  expect(condition(pool, 'Ready')).toMatchObject({ status: 'True', reason: 'ChannelsReady' })
  expect(pool?.status?.observedGeneration).toBe(pool?.metadata.generation)
}
