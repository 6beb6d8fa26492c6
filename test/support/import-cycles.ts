/**
 * Finds import cycles: each result is a path of files, of which each imports the next and the last
 * imports the first. Reports at least one cycle of each group of files that import each other.
 */
export function importCycles(
  imports: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start >= 0) cycles.push(path.slice(start))
    if (start >= 0 || done.has(file)) return
    path.push(file)
    for (const imported of imports.get(file) ?? []) visit(imported)
    path.pop()
    done.add(file)
  }
  for (const file of imports.keys()) visit(file)
  return cycles
}
