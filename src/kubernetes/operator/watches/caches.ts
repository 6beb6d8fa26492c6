import type { ChannelPool } from '../../crd/channel-pool.ts'
import type { Facilitator } from '../../crd/facilitator.ts'
import { createInformer, type Informer } from '../../runtime/cache/informer.ts'
import { Turns } from '../../runtime/cache/turns.ts'
import type { Discovery } from '../../runtime/client/discovery.ts'
import { wellKnown } from '../../runtime/objects/well-known.ts'
import {
  type CacheOptions,
  type ChildCaches,
  createChildCaches,
  managedSelector,
} from './child-caches.ts'
import type { Pod } from './failing-pods.ts'
import {
  facilitatorByLabel,
  facilitatorsByPool,
  facilitatorsBySecret,
  index,
  poolsBySecret,
} from './indexes.ts'
import { lean, leanFacilitator } from './lean.ts'
import { leanPod } from './lean-pod.ts'
import { channelPoolType, facilitatorType } from './resource-types.ts'
import { createSecretCaches, noSecretCaches, type SecretCaches } from './secret-caches.ts'

/** The objects that the operator watches. */
export interface Caches {
  readonly pools: Informer<ChannelPool>
  readonly facilitators: Informer<Facilitator>
  readonly secrets: SecretCaches
  /** The pods that the Deployments and Jobs of Facilitators create. */
  readonly pods: Informer<Pod>
  readonly children: ChildCaches
}

/**
 * Tenants write objects of every kind, and a page of the largest ones has 150 MB, which have to arrive within 30 s; one at a time is held. Ten
 * in a page would be 1,200 requests for 1,000 Facilitators, for which the rate limit takes 22 s.
 */
const PAGE_SIZE = 100

export function createCaches(
  {
    watchSecrets = true,
    secretNamespaces = [],
    ...given
  }: Omit<CacheOptions, 'pageSize' | 'turns'> & {
    readonly watchSecrets?: boolean
    readonly secretNamespaces?: readonly string[]
  },
  kinds: Discovery,
): Caches {
  const options = { ...given, pageSize: PAGE_SIZE, turns: new Turns() }
  return {
    pools: createInformer({
      ...options,
      type: channelPoolType,
      transform: lean,
      indexes: { [index.bySecret]: poolsBySecret },
    }),
    facilitators: createInformer({
      ...options,
      type: facilitatorType,
      transform: leanFacilitator,
      indexes: { [index.byPool]: facilitatorsByPool, [index.bySecret]: facilitatorsBySecret },
    }),
    secrets: watchSecrets
      ? createSecretCaches(
          secretNamespaces.length > 0 ? { ...options, namespaces: secretNamespaces } : options,
        )
      : noSecretCaches,
    pods: createInformer<Pod>({
      ...options,
      type: wellKnown.pod,
      transform: leanPod,
      labelSelector: managedSelector,
      indexes: { [index.byFacilitator]: facilitatorByLabel },
    }),
    children: createChildCaches(options, kinds),
  }
}
