import { firstMatch } from '../../../platform/core/language/first-match.ts'
import { isEmpty, isMembers, isSameElement, type MergeKeys, mergeKeysAt } from './merge-keys.ts'

/**
 * The path of the first field of `desired` whose value differs in `live`; undefined when there is none.
 * Further fields of `live` are defaults or belong to other managers, and do not count.
 */
export function findDrift(
  desired: unknown,
  live: unknown,
  path: readonly string[] = [],
  mergeKeys: MergeKeys = mergeKeysAt,
): string | undefined {
  if (isEmpty(desired)) return isEmpty(live) || path.length === 0 ? undefined : nameOf(path)
  if (Array.isArray(desired)) return driftOfList(desired, live, path, mergeKeys)
  if (!isMembers(desired)) return Object.is(desired, live) ? undefined : nameOf(path)
  if (!isMembers(live)) return nameOf(path)
  return firstMatch(Object.entries(desired), ([name, value]) =>
    findDrift(value, live[name], [...path, name], mergeKeys),
  )
}

function driftOfList(
  desired: readonly unknown[],
  live: unknown,
  path: readonly string[],
  mergeKeys: MergeKeys,
): string | undefined {
  if (!Array.isArray(live)) return nameOf(path)
  const keys = mergeKeys(path)
  if (keys === undefined && desired.length !== live.length) return nameOf(path)
  return firstMatch(desired.entries(), ([index, element]) => {
    const counterpart =
      keys === undefined ? live[index] : live.find((other) => isSameElement(element, other, keys))
    return findDrift(element, counterpart, [...path, '*'], mergeKeys)
  })
}

const nameOf = (path: readonly string[]): string => path.join('.')
