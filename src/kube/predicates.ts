import { canonicalJson } from '../core/canonical-json.ts'
import type { OwnWrites } from './own-writes.ts'
import type { KubeObject } from './resource.ts'
import type { Change } from './store.ts'

/** Which changes are worth a reconcile. What appeared or went always is; these judge updates. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean

type Update = (now: KubeObject, before: KubeObject) => boolean

const onUpdate =
  (isWorth: Update): Predicate =>
  ({ type, object, previous }) =>
    type !== 'updated' || previous === undefined || isWorth(object, previous)

/** The spec changed; status writes, ours above all, do not pass. */
export const generationChanged = onUpdate(
  (now, before) =>
    now.metadata.uid !== before.metadata.uid ||
    now.metadata.generation !== before.metadata.generation,
)

export const deletionStarted = onUpdate(
  (now, before) => now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp,
)

/** An annotation or a label whose name begins with `prefix` came, went or changed. */
export const metadataChanged = (prefix: string): Predicate =>
  onUpdate((now, before) => marks(now, prefix) !== marks(before, prefix))

export const any =
  <T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (change) =>
    predicates.some((predicate) => predicate(change))

/** What a controller wants to hear of its own kind: a new spec, a deletion, its own annotations and labels. */
export const primaryChanged = (prefix: string): Predicate =>
  any(generationChanged, deletionStarted, metadataChanged(prefix))

/** Somebody else changed the finalizers or the status, which are the controller's own to write. */
export const meddledWith = (own: Pick<OwnWrites, 'has'>): Predicate =>
  onUpdate((now, before) => !own.has(now) && kept(now) !== kept(before))

const kept = (object: KubeObject): string =>
  canonicalJson([object.metadata.finalizers ?? [], 'status' in object ? object.status : null])

function marks({ metadata }: KubeObject, prefix: string): string {
  const ours = (map: Readonly<Record<string, string>> = {}) =>
    Object.entries(map).filter(([name]) => name.startsWith(prefix))
  return canonicalJson([
    Object.fromEntries(ours(metadata.annotations)),
    Object.fromEntries(ours(metadata.labels)),
  ])
}
