/** Returns the first result of `find` that is not undefined; undefined when there is none. */
export function firstMatch<T, R>(
  items: Iterable<T>,
  find: (item: T) => R | undefined,
): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
