/** docs/sellers.md as its reader uses it: files to save, changes to make in them, and lines to type. */
import { readFileSync } from 'node:fs'

export const page = readFileSync(new URL('../../../docs/sellers.md', import.meta.url), 'utf8')

interface Block {
  /** The paragraph above the block, in one line. */
  readonly lead: string
  readonly heading: string
  readonly language: string
  readonly text: string
}

/** Every fenced block of the page, in order. */
export const blocks: readonly Block[] = [
  ...page.matchAll(/^```(?<language>\w+)\n(?<text>[\s\S]*?)^```$/gm),
].map(({ index, groups }) => {
  const above = page.slice(0, index).trimEnd()
  return {
    lead: above.slice(above.lastIndexOf('\n\n')).trim().replaceAll('\n', ' '),
    heading: above.match(/^#+ .*$/gm)?.at(-1) ?? '',
    language: groups?.['language'] ?? '',
    text: groups?.['text'] ?? '',
  }
})

/** The files that the page says to save, by name. */
export const files: ReadonlyMap<string, string> = new Map(
  blocks.flatMap(({ lead, text }) => {
    const name = /Save this as `([\w.-]+)`/.exec(lead)?.[1]
    return name === undefined ? [] : [[name, text]]
  }),
)

/** The commands under the heading that starts with these words, a block each. */
export const commandsUnder = (words: string): readonly string[] =>
  blocks.flatMap(({ heading, language, text }) =>
    language === 'sh' && heading.replace(/^#+ /, '').startsWith(words) ? [text] : [],
  )

/** What the page says to put into a file. */
export interface Change {
  readonly place: 'before' | 'after' | 'in place of'
  /** How the one line of the file starts that it goes to. */
  readonly line: string
  readonly text: string
}

const changes: readonly Change[] = blocks.flatMap(({ lead, text }) => {
  const [, place, line] =
    /put this (before|after|in place of) the line that starts with `([^`]+)`:$/i.exec(lead) ?? []
  return isPlace(place) && line !== undefined ? [{ place, line, text }] : []
})

function isPlace(text: string | undefined): text is Change['place'] {
  return text === 'before' || text === 'after' || text === 'in place of'
}

/** The one change whose text contains the words. */
export function change(words: string): Change {
  const [found, ...more] = changes.filter(({ text }) => text.includes(words))
  if (found === undefined || more.length > 0) throw new Error(`not one change contains ${words}`)
  return found
}

/** A file of the page with changes made to it, as a reader makes them. */
export function file(name: string, ...wanted: readonly Change[]): string {
  const text = files.get(name)
  if (text === undefined) throw new Error(`the page has no file ${name}`)
  return wanted.reduce(changed, text)
}

function changed(text: string, { place, line, text: put }: Change): string {
  const lines = text.split('\n')
  const [at, ...more] = lines.flatMap((each, index) =>
    each.trimStart().startsWith(line) ? [index] : [],
  )
  if (at === undefined || more.length > 0) throw new Error(`not one line starts with ${line}`)
  const first = place === 'after' ? at + 1 : at
  return lines.toSpliced(first, place === 'in place of' ? 1 : 0, put.trimEnd()).join('\n')
}
