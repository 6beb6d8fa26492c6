import type { CallOptions } from '../client/api-calls.ts'
import type { JsonPatchOperation, KubeClient } from '../client/client.ts'
import { isKubeError } from '../client/kube-error.ts'
import type { DesiredObject, KubeObject, ResourceType } from '../objects/resource.ts'
import type { OwnedPart } from './managed-fields.ts'
import type { MergeKeys } from './merge-keys.ts'
import { type MayAdopt, planApply, type RefusalReason } from './plan-apply.ts'
import { WriteMemo } from './write-memo.ts'

export interface ApplierOptions {
  readonly client: Pick<KubeClient, 'apply' | 'jsonPatch' | 'list' | 'fieldManager'>
  /** Annotation that stores the hash of the last applied object, as in `example.com/desired-hash`. */
  readonly hashAnnotation: string
  /** Whether an owner may take over an object that has no controller. @default never */
  readonly mayAdopt?: MayAdopt
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
  /** Merge keys of the kind's lists, for a custom kind: see `mergeKeysOf`. @default those of the built-in kinds */
  readonly mergeKeys?: MergeKeys
}

type ApplyResult<T extends KubeObject> =
  | { readonly result: 'created' | 'changed'; readonly object: T; readonly because: string }
  /** `object` is the cached one, or the server's answer when the apply changed nothing. */
  | { readonly result: 'unchanged'; readonly object: T }
  /** Nothing was written: it is not the owner's, or it or its owner is being deleted. */
  | { readonly result: 'refused'; readonly reason: RefusalReason; readonly message: string }

export interface Applier {
  /**
   * Applies the desired object. Makes no call when the cached object has all its fields. Without a cached object it
   * creates one and changes none: an object of that name, which a cache with a selector need not show, is read first
   * and refused when it is not the owner's. Throws KubeErrors; one of kind conflict when the cached object is gone or
   * another has taken its name.
   */
  apply<T extends KubeObject>(request: ApplyRequest<T>): Promise<ApplyResult<T>>
}

/**
 * The version of no object: etcd gives the first one a later version. An apply that names it creates an object, and
 * conflicts with one that exists.
 */
const VERSION_OF_NONE = '1'

export function createApplier({ client, hashAnnotation, mayAdopt }: ApplierOptions): Applier {
  const memo = new WriteMemo()

  const write = async <T extends KubeObject>(
    { type, desired, live, owner, owned: parts, mergeKeys, ...limits }: ApplyRequest<T>,
    isUnseen = false,
  ): Promise<ApplyResult<T>> => {
    const owned = parts && { manager: client.fieldManager, parts }
    const plan = planApply({ desired, live, owner, hashAnnotation, owned, mergeKeys, mayAdopt })
    if (plan.do === 'refuse') {
      return { result: 'refused', reason: plan.reason, message: plan.message }
    }
    const because = plan.do === 'change' ? plan.because : undefined
    if (live && (plan.do === 'nothing' || memo.covers(live, plan.hash, because))) {
      return { result: 'unchanged', object: live }
    }
    if (plan.do === 'nothing') throw new TypeError('nothing to do without an object')

    const replace = plan.do === 'change' ? plan.replace : []
    if (live && replace.length > 0) {
      await client.jsonPatch(type, live.metadata, replacing(live, replace), limits)
    }
    // An object that was just read is applied with its version, so that a concurrent change is a conflict; after the patch
    // above it has another version.
    const isExact = isUnseen && replace.length === 0
    const version = isExact ? live?.metadata.resourceVersion : undefined
    const resourceVersion = live ? version : VERSION_OF_NONE
    const { object, created } = await client.apply(type, at(plan.body, resourceVersion), limits)
    if (live) memo.note(live, plan.hash, object)
    if (object.metadata.resourceVersion === live?.metadata.resourceVersion) {
      return { result: 'unchanged', object }
    }
    return {
      result: created ? 'created' : 'changed',
      object,
      because: because ?? 'it did not exist',
    }
  }

  return {
    async apply(request) {
      try {
        return await write(request)
      } catch (error) {
        if (request.live || !isKubeError(error, 'conflict')) throw error
        const { type, desired, live: _, owner: __, owned: ___, ...limits } = request
        const live = await find(client, type, desired, limits)
        if (!live) throw error
        return write({ ...request, live }, true)
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

const at = (body: DesiredObject, resourceVersion: string | undefined): DesiredObject =>
  resourceVersion === undefined
    ? body
    : { ...body, metadata: { ...body.metadata, resourceVersion } }

/** Reads the object of that name by a list, which needs no right that a cache does not need. */
async function find<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  type: ResourceType<T>,
  { metadata: { name, namespace } }: DesiredObject,
  limits: CallOptions,
): Promise<T | undefined> {
  const where = namespace === undefined ? {} : { namespace }
  const fieldSelector = `metadata.name=${name}`
  const { items } = await client.list(type, { ...where, fieldSelector, ...limits })
  return items[0]
}
