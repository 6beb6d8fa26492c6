/** The metadata of an object: all that this module reads of it. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

/** The fields that one manager owns: an element of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: string
  readonly fieldsV1?: Readonly<Record<string, unknown>>
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** An object of the API server. The client adds apiVersion and kind to the items of a list, which lack them. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** An object to write: no resourceVersion, and only the fields that its writer owns. */
export interface DesiredObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: DesiredMeta
  readonly [member: string]: unknown
}

export interface DesiredMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
}

/** A kind of the API server. `T` is the shape that its schema guarantees; it is not checked again here. */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** The part of each object that the server sends. @default the whole object */
  readonly content?: 'metadata'
  /** Never set: carries `T` for the type checker. */
  readonly shape?: T
}

export interface ObjectName {
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string
  readonly name: string
}

/** `namespace/name`, or `name` alone for cluster-scoped kinds. */
export type Key = string

export const keyOf = ({ namespace, name }: ObjectName): Key =>
  namespace ? `${namespace}/${name}` : name

export function nameOf(key: Key): ObjectName {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

export const apiVersionOf = ({ group, version }: ResourceType): string =>
  group ? `${group}/${version}` : version

/** The path of all objects of a kind, in one namespace or, without one, in all. */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group ? '/apis' : '/api'
  const scope = type.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${root}/${apiVersionOf(type)}${scope}/${type.plural}`
}

/** Throws a TypeError when the kind is namespaced and the name has no namespace. */
export function objectPath(
  type: ResourceType,
  { namespace, name }: ObjectName,
  subresource?: 'status',
): string {
  if (type.namespaced && !namespace) throw new TypeError(`${type.kind} ${name} needs a namespace`)
  const path = `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

export const isBeingDeleted = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined

const GROWING_NUMBER = /^[1-9]\d*$/

/**
 * Compares a resourceVersion with the last observed one. Kubernetes guarantees since 1.35 that versions are
 * growing decimal numbers. A server with other versions is assumed to send them in order.
 */
export function compareVersions(
  version: string,
  last: string | undefined,
): 'newer' | 'same' | 'older' {
  if (version === last) return 'same'
  if (last === undefined || !GROWING_NUMBER.test(version) || !GROWING_NUMBER.test(last))
    return 'newer'
  if (version.length !== last.length) return version.length > last.length ? 'newer' : 'older'
  return version > last ? 'newer' : 'older'
}

/** `metav1.MicroTime`, which requires six digits after the second. */
export const microTime = (ms: number): string =>
  new Date(ms).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z')
