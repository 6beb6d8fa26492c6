import { randomUUID } from 'node:crypto'
import {
  createInformer,
  type Informer,
  type InformerOptions,
} from '../../../../../src/kubernetes/runtime/cache/informer.ts'
import type { KubeClient } from '../../../../../src/kubernetes/runtime/client/client.ts'
import {
  type ConfigMap,
  wellKnown,
} from '../../../../../src/kubernetes/runtime/objects/well-known.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { type ApiProxy, startApiProxy } from '../../../support/api-proxy.ts'
import { test as plain } from '../../../support/cluster-test.ts'
import { clientFor } from './client-for.ts'

export const silentLogger = createLogger({ level: 'silent' })
export const patience = { timeout: 120_000, interval: 20 }
export const configMaps = wellKnown.configMap

export interface Place {
  readonly proxy: ApiProxy
  readonly namespace: string
  /** Connects through the proxy, which records its requests and injects faults. */
  readonly client: KubeClient
  /** Connects to the server, as another writer. */
  readonly others: KubeClient
  /** Follows the ConfigMaps labelled with `app=kube-test`. */
  follow(options?: Partial<InformerOptions<ConfigMap>>): Informer<ConfigMap> & AsyncDisposable
}

/** `test` with a namespace of its own, a proxy in front of the server, and a client on either side. */
export const test = plain.extend<{ place: Place }>({
  place: async ({ cluster }, use) => {
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    await using namespace = await cluster.namespace('kube')
    const client = clientFor(proxy.kubeconfigPath)
    await use({
      proxy,
      namespace: namespace.name,
      client,
      others: clientFor(cluster.kubeconfigPath, 'others'),
      follow: (options) => follow(client, namespace.name, options),
    })
  },
})

function follow(
  client: KubeClient,
  namespace: string,
  options: Partial<InformerOptions<ConfigMap>> = {},
): Informer<ConfigMap> & AsyncDisposable {
  const informer = createInformer<ConfigMap>({
    client,
    type: configMaps,
    namespaces: [namespace],
    labelSelector: 'app=kube-test',
    clock: systemClock,
    random: () => 0.5,
    logger: silentLogger,
    ...options,
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  return {
    ...informer,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

export const configMap = (
  namespace: string,
  data: Readonly<Record<string, string>>,
  name = `map-${randomUUID().slice(0, 8)}`,
) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { app: 'kube-test' } },
  data,
})
