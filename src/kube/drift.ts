import { mergeKeyOf } from './merged-lists.ts'

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the server may have filled in by itself for a member that was asked for as empty. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isMembers(value) && Object.keys(value).length === 0)

/**
 * The path of the first field of `desired` that `live` holds otherwise; undefined when it holds all of
 * them. What `live` holds besides is somebody else's: defaults, other managers' fields.
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
  return firstOf(Object.entries(desired), ([name, value]) =>
    findDrift(value, live[name], [...path, name]),
  )
}

function driftOfList(
  desired: readonly unknown[],
  live: unknown,
  path: readonly string[],
): string | undefined {
  if (!Array.isArray(live)) return nameOf(path)
  const key = mergeKeyOf(path)
  if (key === undefined && desired.length !== live.length) return nameOf(path)
  return firstOf([...desired.entries()], ([index, element]) => {
    const counterpart =
      key === undefined ? live[index] : live.find((other) => isSameElement(element, other, key))
    return findDrift(element, counterpart, [...path, '*'])
  })
}

const isSameElement = (a: unknown, b: unknown, key: string): boolean =>
  key === '' ? a === b : isMembers(a) && isMembers(b) && a[key] === b[key]

const nameOf = (path: readonly string[]): string => path.join('.')

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
