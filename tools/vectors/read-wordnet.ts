import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A set of synonyms with its definition, its examples, and the ids of the sets it points to. */
export type Synset = Readonly<{
  id: string
  words: readonly string[]
  definition: string
  examples: readonly string[]
  /** More general sets (`@`, `@i`). */
  hypernyms: readonly string[]
  /** Sets of related meaning: similar (`&`), derived (`+`), part and whole (`%`, `#`), see also (`^`), topic (`;c`). */
  related: readonly string[]
}>

const FILES = ['noun', 'verb', 'adj', 'adv'] as const
const RELATED = /^(?:[&+^]|[%#][mps]|;c)$/

/** WordNet 3.1 from the folder of `data.*` files; the format is `wndb(5WN)`. */
export function readWordNet(folder: string): Synset[] {
  return FILES.flatMap((file) =>
    readFileSync(join(folder, `data.${file}`), 'latin1')
      .split('\n')
      .filter((line) => /^\d{8} /.test(line))
      .map(synsetOf),
  )
}

function synsetOf(line: string): Synset {
  const bar = line.indexOf(' | ')
  const fields = line.slice(0, bar).split(' ')
  const [offset = '', , kind = ''] = fields
  const wordCount = Number.parseInt(fields[3] ?? '0', 16)
  const words = Array.from({ length: wordCount }, (_, i) =>
    (fields[4 + 2 * i] ?? '').replace(/\(.*\)$/, '').replaceAll('_', ' '),
  )
  const firstPointer = 5 + 2 * wordCount
  const pointers = Array.from({ length: Number(fields[firstPointer - 1]) }, (_, i) => {
    const [symbol = '', target = '', part = ''] = fields.slice(
      firstPointer + 4 * i,
      firstPointer + 4 * i + 3,
    )
    return { symbol, id: idOf(part, target) }
  })
  const gloss = line.slice(bar + 3).trim()
  return {
    id: idOf(kind, offset),
    words,
    definition: gloss.replace(/;?\s*"[^"]*"?/g, '').trim(),
    examples: [...gloss.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? ''),
    hypernyms: pointers.filter(({ symbol }) => symbol.startsWith('@')).map(({ id }) => id),
    related: pointers.filter(({ symbol }) => RELATED.test(symbol)).map(({ id }) => id),
  }
}

// An adjective satellite (s) is stored, and pointed to, in the file of adjectives.
const idOf = (kind: string, offset: string): string => `${kind === 's' ? 'a' : kind}${offset}`
