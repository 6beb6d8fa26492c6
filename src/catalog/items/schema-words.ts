/** The field weighs little, and a seller must not fill the index. */
const MAX_LENGTH = 2_000
const MAX_DEPTH = 10

/** Members of `info` and of a JSON Schema whose names say nothing about the resource. */
const structural = new Set([
  '$schema',
  'additionalProperties',
  'bodyType',
  'const',
  'enum',
  'example',
  'format',
  'input',
  'inputSchema',
  'items',
  'method',
  'output',
  'pattern',
  'properties',
  'required',
  'type',
])

/**
 * The words of a declaration about inputs and outputs, for the search: the names of members, and the texts of `title` and `description`.
 * Values of examples are left out: they are data, not description.
 */
export function schemaWords(...parts: readonly unknown[]): string {
  const words: string[] = []
  let length = 0
  const add = (word: string) => {
    if (length >= MAX_LENGTH) return
    words.push(word.slice(0, MAX_LENGTH - length))
    length += word.length + 1
  }
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || length >= MAX_LENGTH || typeof value !== 'object' || value === null) {
      return
    }
    if (Array.isArray(value)) {
      for (const element of value) visit(element, depth + 1)
      return
    }
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string' && (name === 'description' || name === 'title')) {
        add(member)
        continue
      }
      if (!structural.has(name)) add(name)
      visit(member, depth + 1)
    }
  }
  for (const part of parts) visit(part, 0)
  return [...new Set(words)].join(' ')
}
