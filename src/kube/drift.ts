import { firstMatch } from './first-match.ts'

/**
 * Lists in which several managers may each own elements, and the member that identifies an element: empty
 * for a set of plain values. From the OpenAPI schema of Kubernetes; one manager owns any other list as a
 * whole. `*` stands for an element of a list.
 */
const mergedLists: readonly (readonly [path: string, key: string])[] = [
  ['metadata.ownerReferences', 'uid'],
  ['metadata.finalizers', ''],
  ['imagePullSecrets', 'name'],
  ['secrets', 'name'],
  ['spec.ports', 'port'],
  ['status.conditions', 'type'],
  ...['spec', 'spec.template.spec'].flatMap((pod): [string, string][] => [
    ...['containers', 'initContainers'].flatMap((list): [string, string][] => [
      [`${pod}.${list}`, 'name'],
      [`${pod}.${list}.*.env`, 'name'],
      [`${pod}.${list}.*.ports`, 'containerPort'],
      [`${pod}.${list}.*.volumeMounts`, 'mountPath'],
    ]),
    [`${pod}.volumes`, 'name'],
    [`${pod}.imagePullSecrets`, 'name'],
    [`${pod}.topologySpreadConstraints`, 'topologyKey'],
  ]),
]

const mergeKeys: ReadonlyMap<string, string> = new Map(mergedLists)

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The server drops or adds such values by itself, so that an absent member equals an empty one. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isMembers(value) && Object.keys(value).length === 0)

/**
 * The path of the first field of `desired` whose value differs in `live`; undefined when there is none.
 * Further fields of `live` are defaults or belong to other managers, and do not count.
 */
export function findDrift(
  desired: unknown,
  live: unknown,
  path: readonly string[] = [],
): string | undefined {
  if (isEmpty(desired)) return isEmpty(live) || path.length === 0 ? undefined : nameOf(path)
  if (Array.isArray(desired)) return driftOfList(desired, live, path)
  if (!isMembers(desired)) return Object.is(desired, live) ? undefined : nameOf(path)
  if (!isMembers(live)) return nameOf(path)
  return firstMatch(Object.entries(desired), ([name, value]) =>
    findDrift(value, live[name], [...path, name]),
  )
}

function driftOfList(
  desired: readonly unknown[],
  live: unknown,
  path: readonly string[],
): string | undefined {
  if (!Array.isArray(live)) return nameOf(path)
  const key = mergeKeys.get(nameOf(path))
  if (key === undefined && desired.length !== live.length) return nameOf(path)
  return firstMatch(desired.entries(), ([index, element]) => {
    const counterpart =
      key === undefined ? live[index] : live.find((other) => isSameElement(element, other, key))
    return findDrift(element, counterpart, [...path, '*'])
  })
}

const isSameElement = (a: unknown, b: unknown, key: string): boolean =>
  key === '' ? a === b : isMembers(a) && isMembers(b) && a[key] === b[key]

const nameOf = (path: readonly string[]): string => path.join('.')
