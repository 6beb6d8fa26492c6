/** A page for users of the stock packages, as its reader uses it: files to save, changes to make in them, and lines to type. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Block {
  /** The paragraph above the block, in one line. */
  readonly lead: string
  readonly heading: string
  readonly language: string
  readonly text: string
}

/** What the page says to put into a file. */
export interface Change {
  readonly place: 'before' | 'after' | 'in place of'
  /** How the one line of the file starts that it goes to. */
  readonly line: string
  readonly text: string
}

/** One page of docs/. */
export class StockPage {
  readonly text: string
  /** Every fenced block, in order. */
  readonly blocks: readonly Block[]
  /** The files that the page says to save, by name. */
  readonly files: ReadonlyMap<string, string>
  readonly #changes: readonly Change[]

  /** @param folder of another release's docs */
  constructor(name: string, folder = fileURLToPath(new URL('../../../docs', import.meta.url))) {
    this.text = readFileSync(join(folder, name), 'utf8')
    this.blocks = blocksOf(this.text)
    this.files = new Map(
      this.blocks.flatMap(({ lead, text }) => {
        const saved = /Save this as `([\w.-]+)`/.exec(lead)?.[1]
        return saved === undefined ? [] : [[saved, text]]
      }),
    )
    this.#changes = this.blocks.flatMap(changeIn)
  }

  /** The commands under the heading that starts with these words, a block each. */
  commandsUnder(words: string): readonly string[] {
    return this.blocks.flatMap(({ heading, language, text }) =>
      language === 'sh' && heading.replace(/^#+ /, '').startsWith(words) ? [text] : [],
    )
  }

  /** The one change whose text contains the words. */
  change(words: string): Change {
    const [found, ...more] = this.#changes.filter(({ text }) => text.includes(words))
    if (found === undefined || more.length > 0) throw new Error(`not one change contains ${words}`)
    return found
  }

  /** A file of the page with changes made to it, as a reader makes them. */
  file(name: string, ...wanted: readonly Change[]): string {
    const text = this.files.get(name)
    if (text === undefined) throw new Error(`the page has no file ${name}`)
    return wanted.reduce(changed, text)
  }
}

const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^```(?<language>\w+)\n(?<text>[\s\S]*?)^```$/gm)].map(({ index, groups }) => {
    const above = page.slice(0, index).trimEnd()
    return {
      lead: above.slice(above.lastIndexOf('\n\n')).trim().replaceAll('\n', ' '),
      heading: above.match(/^#+ .*$/gm)?.at(-1) ?? '',
      language: groups?.['language'] ?? '',
      text: groups?.['text'] ?? '',
    }
  })

function changeIn({ lead, text }: Block): readonly Change[] {
  const [, place, line] =
    /put this (before|after|in place of) the line that starts with `([^`]+)`:$/i.exec(lead) ?? []
  return isPlace(place) && line !== undefined ? [{ place, line, text }] : []
}

function isPlace(text: string | undefined): text is Change['place'] {
  return text === 'before' || text === 'after' || text === 'in place of'
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
