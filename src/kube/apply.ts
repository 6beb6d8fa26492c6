import type { CallOptions } from './api-calls.ts'
import type { KubeClient } from './client.ts'
import { planApply, type RefusalReason } from './plan-apply.ts'
import type { DesiredObject, KubeObject, ResourceType } from './resource.ts'
import { WriteMemo } from './write-memo.ts'

export interface ApplierOptions {
  readonly client: Pick<KubeClient, 'apply'>
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
    async apply({ type, desired, live, owner, ...limits }) {
      const plan = planApply({ desired, live, owner, hashAnnotation })
      if (plan.do === 'refuse') {
        return { result: 'refused', reason: plan.reason, message: plan.message }
      }
      if (live && (plan.do === 'nothing' || memo.covers(live, plan.hash))) {
        return { result: 'unchanged', object: live }
      }
      if (plan.do === 'nothing') throw new TypeError('nothing to do without an object')

      const { object, created } = await client.apply(type, plan.body, limits)
      if (live) memo.note(live, plan.hash, object)
      if (object.metadata.resourceVersion === live?.metadata.resourceVersion) {
        return { result: 'unchanged', object }
      }
      const because = plan.do === 'create' ? 'it did not exist' : plan.because
      return { result: created ? 'created' : 'changed', object, because }
    },
  }
}
