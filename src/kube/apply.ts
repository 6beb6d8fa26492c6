import type { CallOptions, KubeClient } from './client.ts'
import { type ApplyPlan, planApply, type RefusalReason } from './plan-apply.ts'
import type { DesiredObject, KubeObject, ResourceType } from './resource.ts'
import { WriteMemo } from './write-memo.ts'

export interface ApplierOptions {
  readonly client: Pick<KubeClient, 'apply'>
  /** Annotation for the hash of what was applied, as in `example.com/desired-hash`. */
  readonly hashAnnotation: string
}

export interface ApplyRequest<T extends KubeObject> extends CallOptions {
  readonly type: ResourceType<T>
  /** Only the fields to own. Quantities in their canonical form, or each foreign write costs a call. */
  readonly desired: DesiredObject
  /** From the cache; undefined when it is not there. */
  readonly live: T | undefined
  /** Who controls it. Becomes its controller reference, and must live in the same namespace. */
  readonly owner?: KubeObject | undefined
}

export type ApplyResult<T extends KubeObject> =
  | { readonly result: 'created' | 'changed'; readonly object: T; readonly because: string }
  /** `object` is the cached one, or what the server answered when nothing had to change after all. */
  | { readonly result: 'unchanged'; readonly object: T }
  /** Nothing was written: it belongs to somebody else, or it or its owner is being deleted. */
  | { readonly result: 'refused'; readonly reason: RefusalReason; readonly message: string }

export interface Applier {
  /**
   * Makes the object what is desired. No call when the cache shows that it is; one server-side apply
   * otherwise. Throws KubeErrors; one of kind conflict when the cached object is gone or another one.
   */
  apply<T extends KubeObject>(request: ApplyRequest<T>): Promise<ApplyResult<T>>
}

export function createApplier({ client, hashAnnotation }: ApplierOptions): Applier {
  const memo = new WriteMemo()

  return {
    async apply({ type, desired, live, owner, ...limits }) {
      const plan = planApply({ desired, live, owner, hashAnnotation })
      if (plan.do === 'refuse') return { result: 'refused', ...told(plan) }
      if (live && (plan.do === 'nothing' || memo.covers(live, plan.hash))) {
        return { result: 'unchanged', object: live }
      }
      if (plan.do === 'nothing') throw new TypeError('nothing to do without an object')

      const { object, created } = await client.apply(type, plan.body, limits)
      if (live) memo.note(live, plan.hash, object)
      if (object.metadata.resourceVersion === live?.metadata.resourceVersion) {
        return { result: 'unchanged', object }
      }
      const because = plan.do === 'create' ? 'it was not there' : plan.because
      return { result: created ? 'created' : 'changed', object, because }
    },
  }
}

const told = ({ reason, message }: Extract<ApplyPlan, { do: 'refuse' }>) => ({ reason, message })
