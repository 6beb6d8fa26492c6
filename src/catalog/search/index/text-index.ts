import { FIELDS } from './fields.ts'
import { buildTermTable, type TermTable } from './term-table.ts'

const K1 = 1.2
const B = 0.6

/**
 * An inverted index with BM25F (Robertson, Zaragoza and Taylor 2004): a word's frequencies in the fields are weighted
 * and divided by the fields' relative lengths first, and saturate together. Each posting holds the finished score, in
 * flat arrays: postings of term `t` lie from `starts[t]` to `starts[t + 1]`.
 */
export type TextIndex = Readonly<{
  size: number
  terms: TermTable
  starts: Uint32Array<ArrayBuffer>
  documents: Uint32Array<ArrayBuffer>
  scores: Float32Array<ArrayBuffer>
  /** How rare each term is; 0 when every document has it. */
  rarity: Float32Array<ArrayBuffer>
  /** Each document's terms, each once: those of document `d` lie from `termStarts[d]` to `termStarts[d + 1]`. */
  termStarts: Uint32Array<ArrayBuffer>
  documentTerms: Uint32Array<ArrayBuffer>
}>

/**
 * An index of this many terms takes about 60 MB while it is built beside the one that serves. The words of 20,000 honest listings are a fifth
 * of them.
 */
const MAX_TERMS = 250_000

/**
 * Builds the index from each document's stems, field by field in the order of `FIELDS`. Once it has as many terms as may be, it
 * takes only new ones that `isWord` knows, of which there are few: so invented words cannot fill the memory, and cannot keep a later
 * listing's words out.
 */
export function buildTextIndex(
  documents: readonly (readonly (readonly string[])[])[],
  isWord: (stem: string) => boolean,
  maxTerms: number = MAX_TERMS,
): TextIndex {
  const meanLengths = FIELDS.map((_, field) =>
    mean(documents.map((fields) => fields[field]?.length ?? 0)),
  )
  const ids = new Map<string, number>()
  const termStarts = new Uint32Array(documents.length + 1)
  const documentTerms: number[] = []
  const frequencies: number[] = []
  for (const [document, fields] of documents.entries()) {
    for (const [stem, frequency] of weightedFrequencies(fields, meanLengths)) {
      let id = ids.get(stem)
      if (id === undefined) {
        if (ids.size >= maxTerms && !isWord(stem)) continue
        id = ids.size
        ids.set(stem, id)
      }
      documentTerms.push(id)
      frequencies.push(frequency)
    }
    termStarts[document + 1] = documentTerms.length
  }
  return invert(
    buildTermTable([...ids.keys()]),
    termStarts,
    Uint32Array.from(documentTerms),
    frequencies,
  )
}

/** How often a document holds each stem, by the weights and relative lengths of the fields. */
function weightedFrequencies(
  fields: readonly (readonly string[])[],
  meanLengths: readonly number[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [field, stems] of fields.entries()) {
    const length = 1 - B + (B * stems.length) / (meanLengths[field] || 1)
    const share = (FIELDS[field]?.weight ?? 0) / length
    for (const stem of stems) found.set(stem, (found.get(stem) ?? 0) + share)
  }
  return found
}

function invert(
  terms: TermTable,
  termStarts: Uint32Array<ArrayBuffer>,
  documentTerms: Uint32Array<ArrayBuffer>,
  frequencies: readonly number[],
): TextIndex {
  const size = termStarts.length - 1
  const count = terms.starts.length - 1
  const starts = new Uint32Array(count + 1)
  for (const term of documentTerms) starts[term + 1] = (starts[term + 1] as number) + 1
  for (let term = 0; term < count; term += 1)
    starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number)
  const rarity = Float32Array.from({ length: count }, (_, term) => {
    const holders = (starts[term + 1] as number) - (starts[term] as number)
    return Math.log(1 + (size - holders + 0.5) / (holders + 0.5))
  })
  const next = starts.slice()
  const documents = new Uint32Array(documentTerms.length)
  const scores = new Float32Array(documentTerms.length)
  for (let document = 0; document < size; document += 1) {
    const end = termStarts[document + 1] as number
    for (let i = termStarts[document] as number; i < end; i += 1) {
      const term = documentTerms[i] as number
      const frequency = frequencies[i] as number
      const at = next[term] as number
      next[term] = at + 1
      documents[at] = document
      scores[at] = ((rarity[term] as number) * frequency * (K1 + 1)) / (K1 + frequency)
    }
  }
  return { size, terms, starts, documents, scores, rarity, termStarts, documentTerms }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
