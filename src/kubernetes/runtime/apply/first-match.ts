/** What `find` returns for the first item that it returns something for; undefined when there is none. */
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
