import { canonicalJson } from '../../../platform/core/text/canonical-json.ts'
import type { OwnWrites } from '../cache/own-writes.ts'
import type { Change } from '../cache/store.ts'
import type { KubeObject } from '../objects/resource.ts'

/** Selects the changes that cause a reconcile. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean

type Update = (now: KubeObject, before: KubeObject) => boolean

/** Selects updates by `isRelevant`, and every object that was added or deleted. */
const onUpdate =
  (isRelevant: Update): Predicate =>
  ({ type, object, previous }) =>
    type !== 'updated' || previous === undefined || isRelevant(object, previous)

/** The spec changed. Status writes, the operator's own above all, leave the generation as it is. */
const generationChanged = onUpdate(
  (now, before) =>
    now.metadata.uid !== before.metadata.uid ||
    now.metadata.generation !== before.metadata.generation,
)

const deletionStarted = onUpdate(
  (now, before) => now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp,
)

const metadataChanged = (prefix: string): Predicate =>
  onUpdate((now, before) => marksOf(now, prefix) !== marksOf(before, prefix))

export const any =
  <T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (change) =>
    predicates.some((predicate) => predicate(change))

/** For the kind that a controller reconciles: a new spec, a deletion, or a changed label or annotation with the prefix. */
export const primaryChanged = (prefix: string): Predicate =>
  any(generationChanged, deletionStarted, metadataChanged(prefix))

/** Another writer changed the finalizers or the status, which only the controller should write. */
export const changedByOthers = (own: Pick<OwnWrites, 'has'>): Predicate =>
  onUpdate((now, before) => !own.has(now) && controlledFields(now) !== controlledFields(before))

const controlledFields = (object: KubeObject): string =>
  canonicalJson([object.metadata.finalizers ?? [], 'status' in object ? object.status : null])

function marksOf({ metadata }: KubeObject, prefix: string): string {
  const withPrefix = (map: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(map).filter(([name]) => name.startsWith(prefix)))
  return canonicalJson([withPrefix(metadata.annotations), withPrefix(metadata.labels)])
}
