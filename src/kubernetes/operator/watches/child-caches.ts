import { fieldManagers, labels, labelValues } from '../../crd/names/marks.ts'
import { fieldsOfOthers } from '../../runtime/apply/managed-fields.ts'
import {
  createInformer,
  type Informer,
  type InformerOptions,
} from '../../runtime/cache/informer.ts'
import { byController, ownedKey } from '../../runtime/cache/owners.ts'
import type { Discovery } from '../../runtime/client/discovery.ts'
import type { Key, KubeObject } from '../../runtime/objects/resource.ts'
import type { AnyObject } from '../../runtime/objects/well-known.ts'
import { bounded } from './bounded.ts'
import { type ChildKind, childKinds, isOptional, type OptionalKind, typeOf } from './child-kinds.ts'
import { createOptionalInformer } from './optional-informer.ts'
import { ownedParts } from './owned-parts.ts'

/** The objects of every child kind that this operator, or another instance of it, has created. */
export interface ChildCaches {
  readonly informers: readonly Informer<AnyObject>[]
  /** Objects that the owner controls. */
  ownedBy(owner: KubeObject['metadata']): readonly AnyObject[]
  /** One that `isReduced` has no content. */
  find(kind: ChildKind, key: Key): AnyObject | undefined
  /** Whether the cluster serves the kind, and its cache is filled. */
  serves(kind: OptionalKind): boolean
  /** Calls the handler when the cache of an optional kind is filled. */
  onServed(handler: () => void): void
}

const BY_CONTROLLER = 'byController'

export const managedSelector = `${labels.managedBy}=${labelValues.managedBy}`

/** The options of every cache of the operator. */
export type CacheOptions = Omit<
  InformerOptions<AnyObject>,
  'type' | 'labelSelector' | 'fieldSelector' | 'transform' | 'indexes'
>

export function createChildCaches(options: CacheOptions, kinds: Discovery): ChildCaches {
  const handlers: (() => void)[] = []
  const served = new Set<ChildKind>()
  const createOne = (kind: ChildKind): Informer<AnyObject> => {
    const keepManagers = fieldsOfOthers(fieldManagers.children, ownedParts(kind))
    const informer = createInformer<AnyObject>({
      ...options,
      type: typeOf(kind),
      labelSelector: managedSelector,
      indexes: { [BY_CONTROLLER]: byController },
      keepManagers,
      transform: bounded(keepManagers),
    })
    if (!isOptional(kind)) return informer
    const onServed = () => {
      served.add(kind)
      for (const handler of handlers) handler()
    }
    return createOptionalInformer({ informer, kinds, onServed })
  }
  const caches = new Map(childKinds.map((kind) => [kind, createOne(kind)]))
  const informers = [...caches.values()]
  return {
    informers,
    ownedBy: (owner) => informers.flatMap(({ store }) => store.by(BY_CONTROLLER, ownedKey(owner))),
    find: (kind, key) => caches.get(kind)?.store.get(key),
    serves: (kind) => served.has(kind) && kinds.serves(typeOf(kind)),
    onServed: (handler) => {
      handlers.push(handler)
    },
  }
}
