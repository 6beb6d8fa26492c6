/** What the runtime knows of an object: its metadata. Everything else is the caller's. */
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
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** An object as the API server holds it. Items of a list carry no apiVersion and kind there; the client adds them. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** An object as somebody wants it: no uid, no resourceVersion, and only the fields its writer means to own. */
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
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
}

/** A kind as the API server names it. `T` is the shape its schema promises; nobody checks it again here. */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Never there: it only lets the type checker carry `T`. */
  readonly shape?: T
}

export interface ObjectName {
  /** Absent for kinds that live in no namespace. */
  readonly namespace?: string
  readonly name: string
}

/** `namespace/name`, or `name` alone for kinds that live in no namespace. */
export type Key = string

export const keyOf = ({ namespace, name }: ObjectName): Key =>
  namespace ? `${namespace}/${name}` : name

export function nameOf(key: Key): ObjectName {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

export const apiVersionOf = ({ group, version }: ResourceType): string =>
  group ? `${group}/${version}` : version

export interface PathParts {
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly subresource?: string | undefined
}

/** The path of a collection, an object or a subresource. Throws a TypeError when a namespace is missing. */
export function pathOf(type: ResourceType, { namespace, name, subresource }: PathParts): string {
  const root = type.group ? `/apis/${type.group}/${type.version}` : `/api/${type.version}`
  if (type.namespaced && name !== undefined && !namespace) {
    throw new TypeError(`${type.kind} ${name} needs a namespace`)
  }
  const scope = type.namespaced && namespace ? ['namespaces', namespace] : []
  const parts = [...scope, type.plural, name, subresource]
  return parts.reduce<string>(
    (path, part) => (part === undefined ? path : `${path}/${encodeURIComponent(part)}`),
    root,
  )
}

/** The reference that makes `owner` the one controller of another object, so that it goes when the owner goes. */
export const controllerReference = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find(({ controller }) => controller === true)

export const isBeingDeleted = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined
