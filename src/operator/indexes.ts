import type { ChannelPool } from '../api/channel-pool.ts'
import type { Facilitator } from '../api/facilitator.ts'
import { labels } from '../api/marks.ts'
import { type Key, type KubeObject, keyOf } from '../kube/resource.ts'
import type { Index } from '../kube/store.ts'

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

export const poolsBySecret: Index<ChannelPool> = (pool) =>
  keysOf(pool, [pool.spec.sponsorSecretRef.name, pool.spec.databaseSecretRef.name])

/** Without the Secrets of its pools, which `poolsBySecret` has. */
export const facilitatorsBySecret: Index<Facilitator> = (facilitator) => {
  const { databaseSecretRef, apiKeys, catalog } = facilitator.spec
  return keysOf(facilitator, [
    databaseSecretRef.name,
    apiKeys?.digestsSecretRef.name,
    catalog.embeddings?.secretRef?.name,
  ])
}

/** For pods and other children: the operator sets the label. */
export function facilitatorByLabel({ metadata }: KubeObject): readonly Key[] {
  const name = metadata.labels?.[labels.facilitator]
  const { namespace } = metadata
  return name === undefined || namespace === undefined ? [] : [keyOf({ namespace, name })]
}
