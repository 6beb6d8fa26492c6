import type { ChannelPool } from '../api/channel-pool.ts'
import type { Facilitator } from '../api/facilitator.ts'
import { labels } from '../api/marks.ts'
import { createInformer, type Informer, type InformerOptions } from '../kube/informer.ts'
import { type Secret, wellKnown } from '../kube/well-known.ts'
import { facilitatorsByPool, index, poolsBySecret } from './indexes.ts'
import { channelPoolType, facilitatorType } from './resource-types.ts'

/** What the operator knows of the cluster without asking. */
export interface Caches {
  readonly pools: Informer<ChannelPool>
  readonly facilitators: Informer<Facilitator>
  /** Those with the label for being watched. */
  readonly secrets: Informer<Secret>
}

export type CacheOptions = Omit<
  InformerOptions<ChannelPool>,
  'type' | 'labelSelector' | 'fieldSelector' | 'indexes'
>

export const createCaches = (options: CacheOptions): Caches => ({
  pools: createInformer({
    ...options,
    type: channelPoolType,
    indexes: { [index.bySecret]: poolsBySecret },
  }),
  facilitators: createInformer({
    ...options,
    type: facilitatorType,
    indexes: { [index.byPool]: facilitatorsByPool },
  }),
  secrets: createInformer({
    ...options,
    type: wellKnown.secret,
    labelSelector: `${labels.watch}=true`,
  }),
})
