/**
 * The Facilitator controller on a real API server, in a namespace of its own. The test writes the status of
 * pools instead of a pool controller.
 */

import { causeOf } from '../../../../../src/kubernetes/crd/fields/cause.ts'
import { createFacilitatorController } from '../../../../../src/kubernetes/operator/facilitator/controller.ts'
import { createDigestReader } from '../../../../../src/kubernetes/operator/secret-digest.ts'
import { SharedResources } from '../../../../../src/kubernetes/operator/store-access/shared-resources.ts'
import { createCaches } from '../../../../../src/kubernetes/operator/watches/caches.ts'
import { optionalTypes } from '../../../../../src/kubernetes/operator/watches/child-kinds.ts'
import { createSecretReader } from '../../../../../src/kubernetes/operator/watches/secrets.ts'
import { createDiscovery } from '../../../../../src/kubernetes/runtime/client/discovery.ts'
import type { Controller } from '../../../../../src/kubernetes/runtime/controller/controller.ts'
import { createEventRecorder } from '../../../../../src/kubernetes/runtime/events/events.ts'
import { noKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import type { Condition } from '../../../../../src/kubernetes/runtime/objects/conditions.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { openStore, type Store } from '../../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { facilitatorManifest, type Json, poolManifest } from '../../../../support/api/manifests.ts'
import { freshDatabase } from '../../../../support/postgres.ts'
import { type ApiProxy, startApiProxy } from '../../../support/api-proxy.ts'
import type { Cluster } from '../../../support/cluster.ts'
import { test as clusterTest } from '../../../support/cluster-test.ts'
import type { JournalEntry } from '../../../support/proxy-handler.ts'
import { installDefinitions, objectsIn } from '../../crd/objects.ts'
import { clientFor } from '../../runtime/support/client-for.ts'

export const IMAGE = 'registry.example/stellar-x402:1.0.0'
export const NAME = 'payments'
/** Callers with a key have limits of their own. */
export const withKeys: Json = {
  networks: [{ channelPool: 'testnet', access: 'Everyone' }],
  apiKeys: { digestsSecretRef: { name: 'keys' } },
}
export const patience = { timeout: 45_000, interval: 50 }

const DATABASE = 'postgres://svc:secret@db.example:5432/x402'
const SEED = `S${'A'.repeat(55)}`

export interface Rig {
  readonly cluster: Cluster
  readonly namespace: string
  readonly proxy: ApiProxy
  readonly controller: Controller
  /** The database that the controller reads. Created when it is first asked for. */
  store(): Promise<Store>
  /** Creates the Secrets, a ready pool, and the Facilitator. */
  begin(spec?: Json, pool?: Json): Promise<void>
  secret(name: string, data: Readonly<Record<string, string>>): Promise<void>
  /** Anything of the namespace, as in `('apis/apps/v1', 'deployments', 'payments-facilitator')`. */
  get(api: string, plural: string, name?: string): Promise<Json>
  list(api: string, plural: string): Promise<readonly Found[]>
  facilitator(): Promise<Json>
  condition(type: string): Promise<Json>
  /** The sentence about a reason, whichever condition has it. */
  says(reason: string): Promise<string>
  change(body: Json): Promise<void>
  annotateNamespace(annotations: Readonly<Record<string, string | null>>): Promise<void>
  /** Writes since the last reset of the proxy, without events. */
  writes(): readonly JournalEntry[]
}

interface Found {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly generation?: number
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec: Json
  readonly status?: Json
}

let installed: Promise<void> | undefined

export const test = clusterTest.extend<{ rig: Rig }>({
  rig: async ({ fakeNodes: cluster }, use) => {
    installed ??= installDefinitions(cluster)
    await installed
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    await using namespace = await cluster.namespace('fac', {
      labels: {
        'pod-security.kubernetes.io/enforce': 'restricted',
        'pod-security.kubernetes.io/warn': 'restricted',
      },
    })
    await using running = runController(proxy, [namespace.name])
    await use(rigOf(cluster, namespace.name, proxy, running))
  },
})

/** @param image of Facilitators without one of their own */
export function runController(
  proxy: ApiProxy,
  namespaces: readonly string[],
  image = IMAGE,
): Pick<Rig, 'controller' | 'store'> & AsyncDisposable {
  const logger = createLogger({ level: 'silent' })
  const client = clientFor(proxy.kubeconfigPath, 'stellar-x402-operator')
  const around = { client, clock: systemClock, random: () => 0.5, logger, metrics: noKubeMetrics }
  const kinds = createDiscovery({ ...around, types: Object.values(optionalTypes) })
  const caches = createCaches({ ...around, namespaces }, kinds)
  const events = createEventRecorder({ ...around, controller: 'operator', instance: 'test' })
  const secrets = createSecretReader({ client, watched: caches.secrets, clock: systemClock })
  const resources = new AsyncDisposableStack()
  let opened: Promise<Store> | undefined
  const open = async (): Promise<Store> => {
    const { url } = resources.use(await freshDatabase())
    return resources.use(await openStore({ kind: 'postgres', url, poolSize: 2 }))
  }
  const store = () => {
    opened ??= open()
    return opened
  }
  const stores = new SharedResources(store)
  const controller = createFacilitatorController({
    ...around,
    caches,
    secrets,
    stores,
    readDigest: createDigestReader({
      client,
      secret: { namespace: namespaces[0] ?? '', name: 'digest-key' },
    }),
    facilitatorImage: image,
    events,
    resyncMs: 0,
  })
  const stop = new AbortController()
  const { pools, facilitators, pods, children } = caches
  const { informers: secretInformers } = caches.secrets
  const informers = [pools, facilitators, ...secretInformers, pods, ...children.informers]
  const work = [kinds, ...informers].map((each) => each.run(stop.signal))
  const controlling = controller.run({ stop: stop.signal })
  return {
    controller,
    store,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all([controlling, ...work])
      await events.flush()
      await opened
      await resources.disposeAsync()
    },
  }
}

export function rigOf(
  cluster: Cluster,
  namespace: string,
  proxy: ApiProxy,
  { controller, store }: Pick<Rig, 'controller' | 'store'>,
): Rig {
  const objects = objectsIn(cluster, namespace)
  const path = (api: string, plural: string, name = '') =>
    `/${api}/namespaces/${namespace}/${plural}${name && `/${name}`}`
  const named = { kind: 'Facilitator', metadata: { name: NAME } } as const
  const facilitator = async () => (await objects.get(named)).body
  const secret: Rig['secret'] = async (name, data) => {
    const metadata = { name, labels: { 'x402.svc.dev/watch': 'true' } }
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: data }
    const target = `${path('api/v1', 'secrets', name)}?fieldManager=test&force=true`
    const contentType = 'application/apply-patch+yaml'
    const { status, text } = await cluster.request('PATCH', target, { body, contentType })
    if (status >= 300) throw new Error(`the Secret was not written: ${text}`)
  }
  return {
    cluster,
    namespace,
    proxy,
    controller,
    store,
    secret,
    begin: async (spec = {}, pool = {}) => {
      await secret('x402-database', { url: DATABASE })
      await secret('testnet-sponsor', { secret: SEED })
      await objects.create(poolManifest(pool, { status: poolStatus() }))
      await objects.create(facilitatorManifest(spec, { name: NAME }))
    },
    get: async (api, plural, name) => (await cluster.request('GET', path(api, plural, name))).body,
    list: async (api, plural) =>
      Object((await cluster.request('GET', path(api, plural))).body)['items'],
    facilitator,
    condition: async (type) => {
      const { status } = Object(await facilitator())
      return status?.conditions?.find((each: Json) => each['type'] === type) ?? {}
    },
    says: async (reason) =>
      causeOf<Condition>(Object(await facilitator()).status?.conditions, reason)?.message ?? '',
    change: async (body) => {
      const { status, text } = await objects.patch(named, body)
      if (status !== 200) throw new Error(`the Facilitator was not changed: ${text}`)
    },
    annotateNamespace: async (annotations) => {
      await cluster.request('PATCH', `/api/v1/namespaces/${namespace}`, {
        body: { metadata: { annotations } },
        contentType: 'application/merge-patch+json',
      })
    },
    writes: () =>
      proxy.calls.filter(
        ({ verb, resource }) =>
          ['create', 'patch', 'update', 'delete'].includes(verb) && resource !== 'events',
      ),
  }
}

const lastTransitionTime = '2026-01-01T00:00:00Z'
const isTrue = (type: string, reason: string) => ({
  type,
  status: 'True',
  reason,
  message: 'It is well.',
  observedGeneration: 1,
  lastTransitionTime,
})

const poolStatus = (): Json => ({
  observedGeneration: 1,
  conditions: [isTrue('Ready', 'ChannelsReady'), isTrue('Funded', 'SponsorFunded')],
  channels: { wanted: 8, ready: 8, inUse: 0, draining: 0, quarantined: 0, accounts: 8 },
})
