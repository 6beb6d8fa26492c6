import type { ChannelPool } from '../../crd/channel-pool.ts'
import type { Facilitator } from '../../crd/facilitator.ts'
import { labels } from '../../crd/names/marks.ts'
import type { Index } from '../../runtime/cache/store.ts'
import { type Key, type KubeObject, keyOf } from '../../runtime/objects/resource.ts'
import { rpcSecretRefs } from '../references/pool-rpc.ts'
import { sourcesOf } from '../references/rotation-state.ts'
import { channelSecretOf, secretNamesOf } from '../references/sponsor-source.ts'
import { isReduced } from './bounded.ts'

/** Names of the indexes of the operator's caches. */
export const index = {
  /** Facilitators by `namespace/name` of the pools they name. */
  byPool: 'byPool',
  /** Both kinds by `namespace/name` of the Secrets they name. */
  bySecret: 'bySecret',
  /** Pods by `namespace/name` of their Facilitator. */
  byFacilitator: 'byFacilitator',
} as const

const keysOf = (object: ChannelPool | Facilitator, names: readonly (string | undefined)[]) =>
  names.flatMap((name) =>
    name === undefined ? [] : [keyOf({ namespace: object.metadata.namespace, name })],
  )

export const facilitatorsByPool: Index<Facilitator> = (facilitator) =>
  keysOf(
    facilitator,
    facilitator.spec.networks.map(({ channelPool }) => channelPool),
  )

export const poolsBySecret: Index<ChannelPool> = (pool) => {
  const { database } = pool.spec
  const names = [
    ...sourcesOf(pool).flatMap((source) => [
      ...secretNamesOf(source),
      channelSecretOf(pool, source)?.name,
    ]),
    database.secretRef.name,
    database.caSecretRef?.name,
    ...rpcSecretRefs(pool).map(({ name }) => name),
  ]
  return [...new Set(keysOf(pool, names))]
}

/** Indexes Facilitators by their Secrets, without the Secrets of their pools, which `poolsBySecret` has. */
export const facilitatorsBySecret: Index<Facilitator> = (facilitator) => {
  if (isReduced(facilitator)) return []
  const { database, apiKeys, catalog, explorer } = facilitator.spec
  return keysOf(facilitator, [
    database.secretRef.name,
    database.caSecretRef?.name,
    database.directSecretRef?.name,
    explorer.databaseReplicaSecretRef?.name,
    apiKeys?.digestsSecretRef.name,
    catalog.embeddings?.secretRef?.name,
  ])
}

/** The Facilitator of a pod or another child, from the label that the operator sets. */
export function facilitatorByLabel({ metadata }: KubeObject): readonly Key[] {
  const name = metadata.labels?.[labels.facilitator]
  const { namespace } = metadata
  return name === undefined || namespace === undefined ? [] : [keyOf({ namespace, name })]
}
