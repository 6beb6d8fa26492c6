import { isMembers, isSameElement, type Members, mergeKeysAt } from './merge-keys.ts'

/** A directive of a strategic merge patch, in a map or in an element of a list. */
const DIRECTIVE = '$patch'

/**
 * Merges a patch into a value by the rules of a strategic merge patch of Kubernetes: maps member by member,
 * lists by the members that identify their elements, any other value as a whole. `null` removes a member;
 * `$patch: delete` removes a map or an element, and `$patch: replace` puts the patch in place of the value.
 * Returns undefined when nothing is left.
 * @param path where the value is in its object, such as `['spec', 'template']`; it decides how lists merge
 */
export function strategicMerge(base: unknown, patch: unknown, path: readonly string[]): unknown {
  if (patch === undefined) return base
  if (patch === null) return undefined
  if (Array.isArray(patch)) return mergeLists(Array.isArray(base) ? base : [], patch, path)
  if (!isMembers(patch)) return patch
  const { [DIRECTIVE]: directive, ...members } = patch
  if (directive === 'delete') return undefined
  return mergeMaps(directive === 'replace' || !isMembers(base) ? {} : base, members, path)
}

function mergeMaps(base: Members, patch: Members, path: readonly string[]): Members {
  const merged = new Map(Object.entries(base))
  for (const [name, value] of Object.entries(patch)) {
    const result = strategicMerge(base[name], value, [...path, name])
    if (result === undefined) merged.delete(name)
    else merged.set(name, result)
  }
  return Object.fromEntries(merged)
}

/** Elements of the base keep their places; further ones follow in the order of the patch. */
function mergeLists(
  base: readonly unknown[],
  patch: readonly unknown[],
  path: readonly string[],
): readonly unknown[] {
  const keys = mergeKeysAt(path)
  const inside = [...path, '*']
  const isWhole = keys === undefined || patch.some(replacesList)
  const merged = isWhole ? [] : [...base]
  for (const element of patch) {
    if (replacesList(element)) continue
    const index = merged.findIndex((other) => keys && isSameElement(other, element, keys))
    const result = strategicMerge(merged[index], element, inside)
    if (result === undefined) merged.splice(index, index < 0 ? 0 : 1)
    else if (index < 0) merged.push(result)
    else merged[index] = result
  }
  return merged
}

/** An element `{$patch: replace}` without other members concerns the list that it is in. */
const replacesList = (element: unknown): boolean =>
  isMembers(element) && element[DIRECTIVE] === 'replace' && Object.keys(element).length === 1
