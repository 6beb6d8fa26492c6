import type { ChannelPool } from '../api/channel-pool.ts'
import type { Facilitator } from '../api/facilitator.ts'
import { labels } from '../api/marks.ts'
import type { Discovery } from '../kube/discovery.ts'
import { createInformer, type Informer, type InformerOptions } from '../kube/informer.ts'
import { type Secret, wellKnown } from '../kube/well-known.ts'
import { type ChildCaches, createChildCaches, managedSelector } from './facilitator/child-caches.ts'
import { facilitatorOf } from './facilitator/controller.ts'
import type { Pod } from './facilitator/failing-pods.ts'
import { facilitatorsByPool, facilitatorsBySecret, index, poolsBySecret } from './indexes.ts'
import { channelPoolType, facilitatorType } from './resource-types.ts'

/** What the operator knows of the cluster without asking. */
export interface Caches {
  readonly pools: Informer<ChannelPool>
  readonly facilitators: Informer<Facilitator>
  /** Those with the label for being watched. */
  readonly secrets: Informer<Secret>
  /** Those of our children. */
  readonly pods: Informer<Pod>
  readonly children: ChildCaches
}

export type CacheOptions = Omit<InformerOptions<ChannelPool>, 'type' | 'labelSelector' | 'indexes'>

export const createCaches = (options: CacheOptions, kinds: Discovery): Caches => ({
  pools: createInformer({
    ...options,
    type: channelPoolType,
    indexes: { [index.bySecret]: poolsBySecret },
  }),
  facilitators: createInformer({
    ...options,
    type: facilitatorType,
    indexes: { [index.byPool]: facilitatorsByPool, [index.bySecret]: facilitatorsBySecret },
  }),
  secrets: createInformer({
    ...options,
    type: wellKnown.secret,
    labelSelector: `${labels.watch}=true`,
  }),
  pods: createInformer<Pod>({
    ...options,
    type: wellKnown.pod,
    labelSelector: managedSelector,
    indexes: { [index.byFacilitator]: facilitatorOf },
  }),
  children: createChildCaches(options, kinds),
})
