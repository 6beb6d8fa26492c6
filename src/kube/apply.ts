import type { CallOptions } from './api-calls.ts'
import type { JsonPatchOperation, KubeClient } from './client.ts'
import type { OwnedPart } from './managed-fields.ts'
import { planApply, type RefusalReason } from './plan-apply.ts'
import type { DesiredObject, KubeObject, ResourceType } from './resource.ts'
import { WriteMemo } from './write-memo.ts'

export interface ApplierOptions {
  readonly client: Pick<KubeClient, 'apply' | 'jsonPatch' | 'fieldManager'>
  /** Annotation that stores the hash of the last applied object, as in `example.com/desired-hash`. */
  readonly hashAnnotation: string
}

interface ApplyRequest<T extends KubeObject> extends CallOptions {
  readonly type: ResourceType<T>
  /** Only the fields to own. Quantities in canonical form: otherwise each write of another manager costs a call. */
  readonly desired: DesiredObject
  /** The cached object; undefined when there is none. */
  readonly live: T | undefined
  /** Becomes the controller reference. Must be in the same namespace. */
  readonly owner?: KubeObject
  /** Parts of the object in which no other manager may add anything. @default none */
  readonly owned?: readonly OwnedPart[]
}

type ApplyResult<T extends KubeObject> =
  | { readonly result: 'created' | 'changed'; readonly object: T; readonly because: string }
  /** `object` is the cached one, or the server's answer when the apply changed nothing. */
  | { readonly result: 'unchanged'; readonly object: T }
  /** Nothing was written: another object controls it, or it or its owner is being deleted. */
  | { readonly result: 'refused'; readonly reason: RefusalReason; readonly message: string }

export interface Applier {
  /**
   * Applies the desired object. Makes no call when the cached object has all its fields. Throws
   * KubeErrors; one of kind conflict when the cached object is gone or another has taken its name.
   */
  apply<T extends KubeObject>(request: ApplyRequest<T>): Promise<ApplyResult<T>>
}

export function createApplier({ client, hashAnnotation }: ApplierOptions): Applier {
  const memo = new WriteMemo()

  return {
    async apply({ type, desired, live, owner, owned: parts, ...limits }) {
      const owned = parts && { manager: client.fieldManager, parts }
      const plan = planApply({ desired, live, owner, hashAnnotation, owned })
      if (plan.do === 'refuse') {
        return { result: 'refused', reason: plan.reason, message: plan.message }
      }
      const because = plan.do === 'change' ? plan.because : undefined
      if (live && (plan.do === 'nothing' || memo.covers(live, plan.hash, because))) {
        return { result: 'unchanged', object: live }
      }
      if (plan.do === 'nothing') throw new TypeError('nothing to do without an object')

      if (live && plan.do === 'change' && plan.replace.length > 0) {
        await client.jsonPatch(type, live.metadata, replacing(live, plan.replace), limits)
      }
      const { object, created } = await client.apply(type, plan.body, limits)
      if (live) memo.note(live, plan.hash, object)
      if (object.metadata.resourceVersion === live?.metadata.resourceVersion) {
        return { result: 'unchanged', object }
      }
      return {
        result: created ? 'created' : 'changed',
        object,
        because: because ?? 'it did not exist',
      }
    },
  }
}

/** With the uid the patch conflicts when another object has taken the name. */
const replacing = (
  { metadata }: KubeObject,
  parts: readonly { readonly path: readonly string[]; readonly value: unknown }[],
): readonly JsonPatchOperation[] => [
  { op: 'replace', path: '/metadata/uid', value: metadata.uid },
  ...parts.map(({ path, value }) => ({
    op: 'replace' as const,
    path: path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    value,
  })),
]
