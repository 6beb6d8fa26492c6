import type { ChannelPool } from '../api/channel-pool.ts'
import type { Facilitator } from '../api/facilitator.ts'
import { keyOf } from '../kube/resource.ts'
import type { Index } from '../kube/store.ts'

/** Names of the indexes that the caches of our kinds have. */
export const index = {
  /** Facilitators by `namespace/name` of the pools they name. */
  byPool: 'byPool',
  /** Both kinds by `namespace/name` of the Secrets they name. */
  bySecret: 'bySecret',
  /** Pods by `namespace/name` of the Facilitator they are of. */
  byFacilitator: 'byFacilitator',
} as const

const within = (object: ChannelPool | Facilitator, names: readonly (string | undefined)[]) =>
  names.flatMap((name) =>
    name === undefined ? [] : [keyOf({ namespace: object.metadata.namespace, name })],
  )

export const facilitatorsByPool: Index<Facilitator> = (facilitator) =>
  within(
    facilitator,
    facilitator.spec.networks.map(({ channelPool }) => channelPool),
  )

export const poolsBySecret: Index<ChannelPool> = (pool) =>
  within(pool, [pool.spec.sponsorSecretRef.name, pool.spec.databaseSecretRef.name])

/** Those of its pools are found by the pools. */
export const facilitatorsBySecret: Index<Facilitator> = (facilitator) => {
  const { databaseSecretRef, apiKeys, catalog } = facilitator.spec
  return within(facilitator, [
    databaseSecretRef.name,
    apiKeys?.digestsSecretRef.name,
    catalog.embeddings?.secretRef?.name,
  ])
}
