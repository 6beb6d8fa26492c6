import { randomBytes, randomUUID } from 'node:crypto'
import { type ChannelPool, channelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import { createConnect } from '../../../../../src/kubernetes/operator/channel-pool/connect/connect.ts'
import { KnownPools } from '../../../../../src/kubernetes/operator/channel-pool/connect/known-pools.ts'
import { OpenSigners } from '../../../../../src/kubernetes/operator/channel-pool/connect/open-signers.ts'
import { SignerFiles } from '../../../../../src/kubernetes/operator/channel-pool/connect/signer-files.ts'
import { WaitingPools } from '../../../../../src/kubernetes/operator/channel-pool/connect/waiting-pools.ts'
import { PoolBackoff } from '../../../../../src/kubernetes/operator/channel-pool/converge/backoff.ts'
import { createReconcile } from '../../../../../src/kubernetes/operator/channel-pool/reconcile.ts'
import { StatusPace } from '../../../../../src/kubernetes/operator/channel-pool/status/status-pace.ts'
import { SharedResources } from '../../../../../src/kubernetes/operator/store-access/shared-resources.ts'
import { storeOfKey } from '../../../../../src/kubernetes/operator/store-access/store-key.ts'
import { OwnWrites } from '../../../../../src/kubernetes/runtime/cache/own-writes.ts'
import { KubeError } from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import type { Outcome } from '../../../../../src/kubernetes/runtime/controller/outcome.ts'
import type { LocalnetServer } from '../../../../../src/localnet/server/server.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { openStore, type Store } from '../../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { openPoolNetwork } from '../../../../../src/service/operator/pool-network.ts'
import { secretOfSeed, signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { type Json, poolManifest } from '../../../../support/api/manifests.ts'
import { freshDatabase } from '../../../../support/postgres.ts'
import { startPromptLocalnet } from '../../../../support/prompt-localnet.ts'

const LUMEN = 10_000_000n

/** Passes over pools on a real ledger and real databases. A map of objects stands for the API server. */
export interface ReconciledPools extends AsyncDisposable {
  readonly localnet: LocalnetServer
  /** By name, with their values. */
  readonly secrets: Map<string, Readonly<Record<string, string>>>
  /** A funded sponsor, with its seed in the Secret of this name. */
  sponsor(secret: string, lumens?: bigint): Promise<string>
  /** An empty database with its URL in the Secret of this name. */
  database(secret: string): Promise<Store>
  operator(options?: OperatorOptions): PassingOperator
}

interface OperatorOptions {
  /** Of its election: one for each cluster. */
  readonly election?: string
  readonly epoch?: bigint
}

interface PassingOperator extends AsyncDisposable {
  /** Of its cluster, by name. */
  readonly pools: Map<string, ChannelPool>
  /** Creates the pool, or replaces its spec. */
  put(spec?: Json, name?: string): void
  change(name: string, change: Partial<ChannelPool>): void
  pass(name?: string, signal?: AbortSignal): Promise<Outcome>
  /** Passes until the pool has nothing left to do; returns it. */
  settle(name?: string): Promise<ChannelPool>
  /** The names of the pools that were woken since the last call. */
  woken(): readonly string[]
  /** `status reason: message` of the condition. */
  says(type: string, name?: string): string
}

const namespace = 'shop'

export async function openReconciledPools(): Promise<ReconciledPools> {
  const localnet = await startPromptLocalnet()
  const open = new AsyncDisposableStack()
  open.defer(() => localnet.close())
  const secrets: ReconciledPools['secrets'] = new Map()
  return {
    localnet,
    secrets,
    sponsor: async (secret, lumens = 200n) => {
      const seed = randomBytes(32)
      const { address } = signerFromSeed(seed)
      await localnet.pay({ address, asset: 'XLM', amount: lumens * LUMEN })
      secrets.set(secret, { seed: secretOfSeed(seed) })
      return address
    },
    database: async (secret) => {
      const database = open.use(await freshDatabase())
      secrets.set(secret, { url: database.url })
      const store = open.use(await openStore({ kind: 'postgres', url: database.url, poolSize: 2 }))
      // Databases of tests are copies of one, id included.
      await store.db.updateTable('store_identity').set({ id: randomUUID() }).execute()
      return store
    },
    operator: (options) => open.use(passingOperator({ localnet, secrets }, options)),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  }
}

function passingOperator(
  { localnet, secrets }: Pick<ReconciledPools, 'localnet' | 'secrets'>,
  { election = 'x402/operator', epoch = 1n }: OperatorOptions = {},
): PassingOperator {
  const pools = new Map<string, ChannelPool>()
  const logger = createLogger({ level: 'silent' })
  const stores = new SharedResources((key) => {
    const { url, ca, poolSize = 2 } = storeOfKey(key)
    // The limit of the operator.
    return openStore({ kind: 'postgres', url, ca, poolSize, maxAnswerBytes: 1024 * 1024 })
  })
  const networks = new SharedResources((key) =>
    openPoolNetwork(key, { clock: systemClock, logger }),
  )
  const leadership = {
    validitySeconds: 20,
    assertLasts: () => undefined,
    fence: { name: election, epoch },
  }
  const signers = new OpenSigners(systemClock)
  const connectDeps = {
    secrets: {
      read: async ({ name, key }: { name: string; key: string }) => secrets.get(name)?.[key],
      isWatched: () => true,
    },
    client: {} as never,
    signerFiles: new SignerFiles(),
    signers,
    signerNamespaces: [namespace],
    stores,
    networks,
    leadership,
  }
  const woken = new Set<string>()
  const waiting = new WaitingPools({ clock: systemClock, wake: (key) => woken.add(key) })
  const { connect, addressOf, dependenciesOf, forgetSecrets } = createConnect(
    connectDeps,
    (of, from) => waiting.freed(of, from),
  )
  const [backoff, pace, known] = [new PoolBackoff(), new StatusPace(), new KnownPools()]
  const put: PassingOperator['put'] = (spec = {}, name = 'testnet') => {
    const manifest = poolManifest({ ...defaults(localnet), ...spec }, { name })
    const before = pools.get(name)
    const generation = (before?.metadata.generation ?? 0) + 1
    const metadata = { name, namespace, uid: randomUUID(), ...before?.metadata, generation }
    pools.set(name, {
      ...before,
      ...manifest,
      ...channelPool.parse(manifest),
      metadata,
    } as unknown as ChannelPool)
  }
  const change: PassingOperator['change'] = (name, changed) => {
    const live = pools.get(name)
    if (live) pools.set(name, { ...live, ...changed })
  }
  const reconcile = createReconcile({
    type: {} as never,
    pools: { get: (key: string) => pools.get(key.split('/')[1] ?? '') } as never,
    usersOf: () => [],
    client: clientOf(pools),
    ownWrites: new OwnWrites(),
    connectDeps,
    connect,
    addressOf,
    known,
    waiting,
    dependenciesOf,
    backoff,
    pace,
    forget: async (uid) => {
      known.forget(uid)
      await forgetSecrets(uid)
      await stores.release(uid)
    },
    namespaces: { read: async () => 'Active' },
    forgottenSecrets: () => [],
    report: async ({ metadata: { name } }, conditions, status) => {
      const kept = (pools.get(name)?.status?.conditions ?? []).filter(
        ({ type }) => !conditions.some((each) => each.type === type),
      )
      change(name, { status: { ...status, conditions: [...kept, ...conditions] } } as never)
    },
    events: { record: () => undefined, flush: async () => undefined },
    clock: systemClock,
  })
  const pass: PassingOperator['pass'] = (name = 'testnet', signal = AbortSignal.timeout(200_000)) =>
    reconcile({
      key: `${namespace}/${name}`,
      name: { namespace, name },
      signal,
      failures: 0,
      logger,
    })
  return {
    pools,
    put,
    change,
    pass,
    settle: async (name = 'testnet') => {
      for (let count = 0; count < 60; count++) {
        const outcome = await pass(name)
        if (outcome.kind === 'settled') return pools.get(name) as unknown as ChannelPool
      }
      throw new Error(`not settled: ${JSON.stringify(pools.get(name)?.status)}`)
    },
    woken: () => {
      const names = [...woken].map((key) => key.split('/')[1] ?? '')
      woken.clear()
      return names
    },
    says: (type, name = 'testnet') => {
      const conditions = pools.get(name)?.status?.conditions ?? []
      const { status, reason, message } = conditions.find((each) => each.type === type) ?? {}
      return `${status} ${reason}: ${message}`
    },
    [Symbol.asyncDispose]: async () => {
      await signers[Symbol.asyncDispose]()
      await stores[Symbol.asyncDispose]()
      await networks[Symbol.asyncDispose]()
    },
  }
}

const defaults = ({ httpUrl }: LocalnetServer) => ({
  rpc: { urls: [httpUrl], allowHttp: true },
  sponsor: { secretRef: { name: 'sponsor', key: 'seed' } },
  database: { secretRef: { name: 'database', key: 'url' } },
  channels: 2,
  minSponsorBalanceXlm: '0',
  deletionPolicy: 'Retain',
  fees: { inclusion: { floorStroops: '100' } },
})

/** Finalizers of pools are kept; of Secrets there are values alone. */
const clientOf = (pools: PassingOperator['pools']) =>
  ({
    fieldManager: 'operator',
    get: async () => {
      throw new KubeError({ kind: 'notFound', message: 'there is none' })
    },
    apply: async (
      _: unknown,
      { metadata }: { metadata: { name: string; finalizers?: string[] } },
    ) => {
      const live = pools.get(metadata.name)
      if (!live) throw new KubeError({ kind: 'notFound', message: 'there is none' })
      const { finalizers = [] } = metadata
      const object = { ...live, metadata: { ...live.metadata, finalizers } } as ChannelPool
      pools.set(metadata.name, object)
      return { object, created: false }
    },
  }) as never
