/**
 * Lists in which several managers may each own elements, and the members that together identify an element:
 * none for a set of plain values. From the OpenAPI schema of Kubernetes (`x-kubernetes-list-map-keys`); one
 * manager owns any other list as a whole. `*` stands for an element of a list.
 */
const mergedLists: readonly (readonly [path: string, ...keys: string[]])[] = [
  ['metadata.ownerReferences', 'uid'],
  ['metadata.finalizers'],
  ['imagePullSecrets', 'name'],
  ['secrets', 'name'],
  ['spec.ports', 'port', 'protocol'],
  ['status.conditions', 'type'],
  ...['spec', 'spec.template.spec'].flatMap((pod): [string, ...string[]][] => [
    ...['containers', 'initContainers', 'ephemeralContainers'].flatMap(
      (list): [string, ...string[]][] => [
        [`${pod}.${list}`, 'name'],
        [`${pod}.${list}.*.env`, 'name'],
        [`${pod}.${list}.*.ports`, 'containerPort', 'protocol'],
        [`${pod}.${list}.*.resources.claims`, 'name'],
        [`${pod}.${list}.*.volumeDevices`, 'devicePath'],
        [`${pod}.${list}.*.volumeMounts`, 'mountPath'],
      ],
    ),
    [`${pod}.hostAliases`, 'ip'],
    [`${pod}.imagePullSecrets`, 'name'],
    [`${pod}.resourceClaims`, 'name'],
    [`${pod}.schedulingGates`, 'name'],
    [`${pod}.topologySpreadConstraints`, 'topologyKey', 'whenUnsatisfiable'],
    [`${pod}.volumes`, 'name'],
  ]),
]

const keysByPath: ReadonlyMap<string, readonly string[]> = new Map(
  mergedLists.map(([path, ...keys]) => [path, keys]),
)

/** Values that the API server fills in for members that identify an element. */
const defaults: Readonly<Record<string, unknown>> = { protocol: 'TCP' }

/** The members that identify an element of the list at this path; undefined for a list with one owner. */
export const mergeKeysAt: MergeKeys = (path) => keysByPath.get(path.join('.'))

/** The members that identify an element of the list at a path; see `mergeKeysAt`. */
export type MergeKeys = (path: readonly string[]) => readonly string[] | undefined

/** The parts of a schema that say how lists merge. */
export interface ListSchema {
  readonly properties?: Readonly<Record<string, ListSchema>>
  readonly additionalProperties?: ListSchema | boolean
  readonly items?: ListSchema
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

/**
 * The merge keys of a kind with this schema: the `openAPIV3Schema` of a version of a CustomResourceDefinition. Lists of
 * the metadata merge as in every kind.
 */
export const mergeKeysOf =
  (schema: ListSchema): MergeKeys =>
  (path) =>
    path[0] === 'metadata' ? mergeKeysAt(path) : keysOfList(path.reduce(schemaBelow, schema))

function schemaBelow(schema: ListSchema | undefined, name: string): ListSchema | undefined {
  if (name === '*' && schema?.items) return schema.items
  const { properties, additionalProperties } = schema ?? {}
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  return properties?.[name] ?? others
}

function keysOfList(schema: ListSchema | undefined): readonly string[] | undefined {
  const type = schema?.['x-kubernetes-list-type']
  if (type === 'map') return schema?.['x-kubernetes-list-map-keys']
  return type === 'set' ? [] : undefined
}

export type Members = Readonly<Record<string, unknown>>

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two elements of a list are the same one, by the members that `mergeKeysAt` returns. */
export const isSameElement = (a: unknown, b: unknown, keys: readonly string[]): boolean =>
  keys.length === 0
    ? a === b
    : isMembers(a) && isMembers(b) && keys.every((key) => keyOf(a, key) === keyOf(b, key))

const keyOf = (element: Members, key: string): unknown => element[key] ?? defaults[key]

/** The server drops or adds such values by itself, so that an absent member equals an empty one. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isMembers(value) && Object.keys(value).length === 0)
