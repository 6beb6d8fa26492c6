import { canonicalHash } from '../../../platform/core/text/canonical-json.ts'
import { controllerOf, controllerReference } from '../cache/owners.ts'
import { type DesiredObject, isBeingDeleted, type KubeObject } from '../objects/resource.ts'
import { findDrift } from './drift.ts'
import { findAddition, type Ownership, valueToRestore } from './managed-fields.ts'
import type { MergeKeys } from './merge-keys.ts'

export interface ApplyView {
  /** Without owner references and uid; the plan adds them. */
  readonly desired: DesiredObject
  /** The cached object. */
  readonly live: KubeObject | undefined
  /** The object that controls it, in the same namespace. */
  readonly owner: KubeObject | undefined
  /** The annotation that stores the hash of the last applied object. */
  readonly hashAnnotation: string
  /** Whether `owner` may take over an object without a controller. @default never */
  readonly mayAdopt?: MayAdopt | undefined
  /** Parts of the object in which no other manager may add anything. @default none */
  readonly owned?: Ownership | undefined
  /** Merge keys of the kind's lists. @default those of the built-in kinds */
  readonly mergeKeys?: MergeKeys | undefined
}

/** A part to replace as a whole, before the apply: what others added there would stay, or contradict it. */
interface Replacement {
  /** The field that another manager added. */
  readonly because: string
  readonly path: readonly string[]
  readonly value: unknown
}

export type MayAdopt = (object: KubeObject, owner: KubeObject) => boolean

export type ApplyPlan =
  | { readonly do: 'create'; readonly body: DesiredObject; readonly hash: string }
  | {
      readonly do: 'change'
      readonly body: DesiredObject
      readonly hash: string
      /** The field that differs, or the hash annotation when the desired object changed. */
      readonly because: string
      readonly replace: readonly Replacement[]
    }
  | { readonly do: 'nothing'; readonly hash: string }
  | { readonly do: 'refuse'; readonly reason: RefusalReason; readonly message: string }

export type RefusalReason = 'OwnerBeingDeleted' | 'BeingDeleted' | 'OwnedByAnother' | 'NotOurs'

type Refusal = Extract<ApplyPlan, { do: 'refuse' }>
const refuse = (reason: RefusalReason, message: string): Refusal => ({
  do: 'refuse',
  reason,
  message,
})

function refusalOf({ live, owner, mayAdopt }: ApplyView): Refusal | undefined {
  if (owner && isBeingDeleted(owner)) {
    return refuse('OwnerBeingDeleted', `${titleOf(owner)} is being deleted`)
  }
  if (!live) return undefined
  if (isBeingDeleted(live)) return refuse('BeingDeleted', `${titleOf(live)} is being deleted`)
  const other = controllerOf(live)
  if (other && other.uid !== owner?.metadata.uid) {
    return refuse('OwnedByAnother', `${titleOf(live)} belongs to ${other.kind} ${other.name}`)
  }
  if (other || !owner || mayAdopt?.(live, owner)) return undefined
  return refuse(
    'NotOurs',
    `${titleOf(live)} exists already, and ${titleOf(owner)} did not create it`,
  )
}

/** Decides whether an object has to be written. Writes nothing. */
export function planApply(view: ApplyView): ApplyPlan {
  const refusal = refusalOf(view)
  if (refusal) return refusal
  const { live, hashAnnotation, mergeKeys } = view
  const { body, hash } = bodyOf(view)
  if (!live) return { do: 'create', body, hash }

  const added = additions(view, live)
  const changed =
    live.metadata.annotations?.[hashAnnotation] === hash
      ? findDrift(body, live, [], mergeKeys)
      : hashAnnotation
  const because = changed ?? added[0]?.because
  if (because === undefined) return { do: 'nothing', hash }
  // With the uid the apply fails when this object is gone; without, it would create a new one.
  const metadata = { ...body.metadata, uid: live.metadata.uid }
  return { do: 'change', body: { ...body, metadata }, hash, because, replace: added }
}

/** The owned parts in which another manager has added something. */
function additions({ desired, owned }: ApplyView, live: KubeObject): readonly Replacement[] {
  return (owned?.parts ?? []).flatMap((part) => {
    const manager = owned?.manager ?? ''
    const because = findAddition({ desired, live, manager, part })
    if (because === undefined) return []
    return [{ because, path: part.path, value: valueToRestore(desired, live, part) }]
  })
}

function bodyOf({ desired, owner, hashAnnotation }: ApplyView): {
  readonly body: DesiredObject
  readonly hash: string
} {
  const owned = owner ? { ownerReferences: [controllerReference(owner)] } : {}
  const metadata = { ...desired.metadata, ...owned }
  const hash = canonicalHash({ ...desired, metadata })
  const annotations = { ...metadata.annotations, [hashAnnotation]: hash }
  return { body: { ...desired, metadata: { ...metadata, annotations } }, hash }
}

const titleOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`
