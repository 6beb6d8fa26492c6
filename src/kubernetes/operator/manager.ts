import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { Store } from '../../platform/database/open.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import { fieldManagers } from '../crd/names/marks.ts'
import type { KubeClient } from '../runtime/client/client.ts'
import { createDiscovery } from '../runtime/client/discovery.ts'
import type { Controller } from '../runtime/controller/controller.ts'
import {
  createElector,
  type ElectionEnd,
  type ElectorOptions,
  type Term,
} from '../runtime/election/election.ts'
import { createEventRecorder, type EventRecorder } from '../runtime/events/events.ts'
import type { KubeMetrics } from '../runtime/metrics/metrics.ts'
import { keyOf, type ObjectName } from '../runtime/objects/resource.ts'
import type { ConnectDeps, ReachedNetwork } from './channel-pool/connect/connect.ts'
import { OpenSigners } from './channel-pool/connect/open-signers.ts'
import { SignerFiles } from './channel-pool/connect/signer-files.ts'
import { createChannelPoolController } from './channel-pool/controller.ts'
import { createPoolGauges } from './channel-pool/status/gauges.ts'
import { createFacilitatorController } from './facilitator/controller.ts'
import type { GaugeRegistry } from './metrics/gauges.ts'
import { createResourceGauges } from './metrics/resource-gauges.ts'
import { createDigestReader } from './secret-digest.ts'
import { leadershipOf } from './store-access/leadership.ts'
import { SharedResources } from './store-access/shared-resources.ts'
import { type StoreAccess, storeOfKey } from './store-access/store-key.ts'
import { type Caches, createCaches } from './watches/caches.ts'
import { optionalTypes } from './watches/child-kinds.ts'
import { createSecretReader } from './watches/secrets.ts'

export interface ManagerOptions {
  readonly client: KubeClient
  /** A separate client: the election must not wait behind other requests. */
  readonly electionClient: KubeClient
  readonly lease: ObjectName
  /** The Secret with the key of the digests of Secrets, in the namespace of the lease. */
  readonly digestKeySecret: string
  /** Unique to this process. */
  readonly identity: string
  /** Absent or empty: all namespaces. */
  readonly namespaces: readonly string[]
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: KubeMetrics
  readonly election?: Pick<ElectorOptions, 'durationMs' | 'renewDeadlineMs' | 'renewMs' | 'pollMs'>
  readonly resyncMs?: number
  /** Whether Secrets are watched; without, they are read by name every 5 minutes. @default true */
  readonly watchSecrets?: boolean
  /** Where they are watched. @default `namespaces` */
  readonly secretNamespaces?: readonly string[]
  /** How long a transaction that the leader signs stays valid. */
  readonly transactionValiditySeconds: number
  /** The image of Facilitators that name none; empty when each has to name one. */
  readonly facilitatorImage: string
  /** Address of the runbooks that alerts link to. */
  readonly runbooks?: string | undefined
  /** The file with the token with which the operator logs in to Vault; undefined without one. */
  readonly vaultTokenFile?: string | undefined
  /** Namespaces whose pools may use the operator's login to Vault, its PKCS#11 libraries and its sockets. */
  readonly signerNamespaces?: readonly string[] | undefined
  readonly openStore: (url: string, access: Omit<StoreAccess, 'url'>) => Promise<Store>
  readonly gauges: GaugeRegistry
  /** Opens the network of an `rpcKey`. */
  readonly openNetwork: (key: string) => Promise<ReachedNetwork>
}

/** How late an optional kind is noticed, at two requests each: the Gateway API and the Prometheus operator. */
const DISCOVERY_MS = 60_000

/** The operator: fills its caches, waits until it leads, and then reconciles both kinds. */
export interface Manager {
  /** False when it leads but cannot renew its lease, or a reconcile hangs: the process should be killed. */
  isHealthy(): boolean
  isLeading(): boolean
  isSynced(): boolean
  /** Resolves when `stop` aborts, or when the leadership is lost: then the process has to end. */
  run(stop: AbortSignal): Promise<ElectionEnd>
}

export function createManager(options: ManagerOptions): Manager {
  const { electionClient, clock, random, logger, metrics, lease, identity, election } = options
  const kinds = createDiscovery({
    ...options,
    types: Object.values(optionalTypes),
    refreshMs: DISCOVERY_MS,
  })
  const caches = createCaches(options, kinds)
  const watchResources = createResourceGauges(options.gauges)
  watchResources(caches.pools)
  watchResources(caches.facilitators)
  createPoolGauges(options.gauges)(caches.pools)
  const { pools, facilitators, secrets, pods, children } = caches
  const informers = [pools, facilitators, ...secrets.informers, pods, ...children.informers]
  const elector = createElector({
    client: electionClient,
    lease,
    identity,
    clock,
    random,
    logger,
    metrics,
    ...election,
  })
  const running: Controller[] = []
  let isSynced = false
  void Promise.all(informers.map(({ synced }) => synced)).then(() => {
    isSynced = true
  })
  return {
    isHealthy: () => elector.isHealthy() && running.every((controller) => controller.isHealthy()),
    isLeading: () => elector.isLeading(),
    isSynced: () => isSynced,
    async run(stop) {
      const ended = new AbortController()
      const caching = [
        kinds.run(ended.signal),
        ...informers.map((informer) => informer.run(ended.signal)),
      ]
      try {
        return await elector.run({
          stop,
          lead: (term) => lead(options, caches, term, stop, running),
        })
      } finally {
        ended.abort()
        await Promise.all(caching)
      }
    },
  }
}

/** One term. Databases and networks are opened for it and closed after it. */
async function lead(
  options: ManagerOptions,
  caches: Caches,
  term: Term,
  stop: AbortSignal,
  running: Controller[],
): Promise<void> {
  const { client, clock, lease } = options
  const events = createEventRecorder({
    ...options,
    controller: fieldManagers.children,
    instance: options.identity,
  })
  await using stores = new SharedResources((key) => {
    const { url, ...access } = storeOfKey(key)
    return options.openStore(url, access)
  })
  await using networks = new SharedResources(options.openNetwork)
  await using signerFiles = new SignerFiles()
  await using signers = new OpenSigners(options.clock)
  const connectDeps: ConnectDeps = {
    secrets: createSecretReader({ client, watched: caches.secrets, clock }),
    client,
    signerFiles,
    signers,
    vaultTokenFile: options.vaultTokenFile,
    signerNamespaces: options.signerNamespaces,
    stores,
    networks,
    leadership: leadershipOf({
      term,
      name: `${keyOf(lease)} ${term.leaseUid}`,
      validitySeconds: options.transactionValiditySeconds,
      clock,
    }),
  }
  const signals = { stop, lost: term.signal }
  const controllers = controllersOf(options, caches, connectDeps, events)
  running.push(...controllers)
  await Promise.all(controllers.map((controller) => controller.run(signals)))
  await events.flush()
}

const controllersOf = (
  options: ManagerOptions,
  caches: Caches,
  connectDeps: ConnectDeps,
  events: EventRecorder,
): readonly Controller[] => [
  createChannelPoolController({ ...options, caches, connectDeps, events }),
  createFacilitatorController({
    ...options,
    caches,
    secrets: connectDeps.secrets,
    stores: connectDeps.stores,
    readDigest: createDigestReader({
      client: options.client,
      secret: { ...options.lease, name: options.digestKeySecret },
    }),
    events,
  }),
]
