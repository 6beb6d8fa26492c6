import type { Member, YamlNode } from './yaml-nodes.ts'

/* Changes of a YAML text in places, all other characters stay. */

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((all, edit) => all.slice(0, edit.start) + edit.text + all.slice(edit.end), text)
}

/** Another name for a member; a quoted name stays quoted, as JSON needs it. */
export const renamed = (source: string, { key }: Member, name: string): Edit => {
  const quote = source[key.start] === '"' || source[key.start] === "'" ? source[key.start] : ''
  return { start: key.start, end: key.end, text: `${quote}${name}${quote}` }
}

export const replaced = ({ start, end }: YamlNode, text: string): Edit => ({ start, end, text })

const lineStart = (source: string, offset: number): number =>
  source.lastIndexOf('\n', offset - 1) + 1
export const columnOf = (source: string, offset: number): number =>
  offset - lineStart(source, offset)

/** The lines with so many more spaces; empty ones stay empty. */
export const indented = (lines: string, by: number): string =>
  by >= 0
    ? lines.replace(/^(?=[^\n])/gm, ' '.repeat(by))
    : lines.replace(new RegExp(`^ {1,${-by}}`, 'gm'), '')

/** Where the lines of a block value begin: after the line of its key, with the comments before its first line. */
export const blockStart = (source: string, { key }: Member): number =>
  source.indexOf('\n', key.end) + 1

/**
 * Puts a value deeper, as `outer: { inner: value }` does: `path` has the names of the mappings between, and `-` for
 * the item of a list. `databaseSecretRef` becomes `database`, `secretRef`.
 */
export function nested(source: string, member: Member, path: readonly string[]): readonly Edit[] {
  const [name = '', ...inner] = path
  const { value } = member
  const rename = renamed(source, member, name)
  if (!value.isBlock) {
    const quote = rename.text.startsWith('"') ? '"' : ''
    const open = inner.map((each) => (each === '-' ? '[' : `{ ${quote}${each}${quote}: `)).join('')
    const close = inner
      .toReversed()
      .map((each) => (each === '-' ? ']' : ' }'))
      .join('')
    return [
      rename,
      { start: value.start, end: value.start, text: open },
      { start: value.end, end: value.end, text: close },
    ]
  }
  const start = blockStart(source, member)
  let column = columnOf(source, member.key.start) + 2
  let head = ''
  let prefix = ' '.repeat(column)
  for (const each of inner) {
    column += 2
    if (each === '-') {
      prefix += '- '
      continue
    }
    head += `${prefix}${each}:\n`
    prefix = ' '.repeat(column)
  }
  const by = prefix.length - columnOf(source, value.start)
  const lines = indented(source.slice(start, value.end), by)
  // The dash of a list stands before the first member; comments above it stay above.
  const at = prefix.endsWith('- ')
    ? indented(source.slice(start, value.start), by).length - '- '.length
    : undefined
  const text = at === undefined ? lines : `${lines.slice(0, at)}- ${lines.slice(at + 2)}`
  return [rename, { start, end: value.end, text: head + text }]
}
