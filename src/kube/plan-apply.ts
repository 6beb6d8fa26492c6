import { createHash } from 'node:crypto'
import { canonicalJson } from '../core/canonical-json.ts'
import { findDrift } from './drift.ts'
import {
  controllerOf,
  controllerReference,
  type DesiredObject,
  isBeingDeleted,
  type KubeObject,
} from './resource.ts'

export interface ApplyView {
  /** Without owner references and uid; the plan adds them. */
  readonly desired: DesiredObject
  /** As the cache has it. */
  readonly live: KubeObject | undefined
  /** Who shall control it, in the same namespace; absent for objects that nobody controls. */
  readonly owner?: KubeObject | undefined
  /** The annotation in which the hash of what was applied last is kept. */
  readonly hashAnnotation: string
}

export type ApplyPlan =
  | { readonly do: 'create'; readonly body: DesiredObject; readonly hash: string }
  | {
      readonly do: 'change'
      readonly body: DesiredObject
      readonly hash: string
      /** The field that differs, or the hash annotation when what is wanted is another thing now. */
      readonly because: string
    }
  | { readonly do: 'nothing'; readonly hash: string }
  | { readonly do: 'refuse'; readonly reason: RefusalReason; readonly message: string }

export type RefusalReason = 'OwnerBeingDeleted' | 'BeingDeleted' | 'OwnedByAnother'

type Refusal = Extract<ApplyPlan, { do: 'refuse' }>
type Check = (view: ApplyView) => Refusal | undefined

const refuse = (reason: RefusalReason, message: string): Refusal => ({
  do: 'refuse',
  reason,
  message,
})

/** The first refusal is the one that is told. */
const checks: readonly Check[] = [
  ({ owner }) =>
    owner && isBeingDeleted(owner)
      ? refuse('OwnerBeingDeleted', `${named(owner)} is being deleted`)
      : undefined,
  ({ live }) =>
    live && isBeingDeleted(live)
      ? refuse('BeingDeleted', `${named(live)} is being deleted`)
      : undefined,
  ({ live, owner }) => {
    const other = live && controllerOf(live)
    if (!other || other.uid === owner?.metadata.uid) return undefined
    return refuse('OwnedByAnother', `${named(live)} belongs to ${other.kind} ${other.name}`)
  },
]

/** Decides whether an object has to be written; touches nothing. */
export function planApply(view: ApplyView): ApplyPlan {
  for (const check of checks) {
    const refusal = check(view)
    if (refusal) return refusal
  }
  const { live, hashAnnotation } = view
  const { body, hash } = bodyOf(view)
  if (!live) return { do: 'create', body, hash }

  const because =
    live.metadata.annotations?.[hashAnnotation] === hash ? findDrift(body, live) : hashAnnotation
  if (because === undefined) return { do: 'nothing', hash }
  // The uid makes this fail instead of creating a new object, should this one be gone by now.
  const metadata = { ...body.metadata, uid: live.metadata.uid }
  return { do: 'change', body: { ...body, metadata }, hash, because }
}

function bodyOf({ desired, owner, hashAnnotation }: ApplyView): {
  readonly body: DesiredObject
  readonly hash: string
} {
  const owned = owner ? { ownerReferences: [controllerReference(owner)] } : {}
  const metadata = { ...desired.metadata, ...owned }
  const hash = hashOf({ ...desired, metadata })
  const annotations = { ...metadata.annotations, [hashAnnotation]: hash }
  return { body: { ...desired, metadata: { ...metadata, annotations } }, hash }
}

/** SHA-256 of the canonical JSON, in hexadecimal. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex')

const named = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`
