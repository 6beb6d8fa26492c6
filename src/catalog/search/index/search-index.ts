import type { ListedItem } from '../../items/listed-item.ts'
import { hasVector, type WordVectors } from '../vectors/format.ts'
import { type AnalysedDocument, analyseDocument } from './analyse-document.ts'
import { type TermTable, termOf, wordOf } from './term-table.ts'
import { buildTextIndex, type TextIndex } from './text-index.ts'
import { buildTypoIndex, type TypoIndex } from './typo-index.ts'

/** Unit vectors, a row for each document; in 8-bit integers 127 stands for 1. */
export type DocumentVectors = Readonly<{
  dimensions: number
  rows: Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer>
}>

/** The result of a build: flat arrays, so that a worker can hand them over without a copy. */
export type IndexParts = Readonly<{
  text: TextIndex
  typos: TypoIndex
  /** The word vector of each term, -1 where there is none; null without word vectors. */
  termWords: Int32Array<ArrayBuffer> | null
  /** Made of word vectors; null without them. */
  vectors: DocumentVectors | null
  /** Each document's score loses this share because its name, tags or description repeat words. */
  penalties: Float32Array<ArrayBuffer>
}>

/** Everything that a search needs of the catalog, in memory. */
export type SearchIndex = IndexParts &
  Readonly<{
    documents: readonly ListedItem[]
    /** Symbols of the assets, in upper case. */
    symbols: readonly string[]
    /** Vectors from an embeddings endpoint, which replace `vectors` for a question whose vector it made. */
    dense: DocumentVectors | null
  }>

/**
 * Builds the index in this thread. Without `words` and `dense` it compares words only. `dense` holds a vector for each
 * document, in their order, from an embeddings endpoint.
 */
export const buildSearchIndex = (
  documents: readonly ListedItem[],
  words: WordVectors | null,
  dense: DocumentVectors | null = null,
): SearchIndex => {
  const analysed = documents.map(({ text }) => analyseDocument(text, words))
  return searchIndexOf(documents, buildIndexParts(analysed, words), dense)
}

/** The index of documents and of what a build made of their texts. */
export const searchIndexOf = (
  documents: readonly ListedItem[],
  parts: IndexParts,
  dense: DocumentVectors | null,
): SearchIndex => ({ documents, symbols: symbolsOf(documents), dense, ...parts })

function symbolsOf(documents: readonly ListedItem[]): readonly string[] {
  const symbols = new Set<string>()
  for (const { listings } of documents)
    for (const { options } of listings)
      for (const { symbol } of options) if (symbol !== null) symbols.add(symbol)
  const upperCase = new Set([...symbols].map((symbol) => symbol.toUpperCase()))
  return [...upperCase].filter((symbol) => /^[A-Z0-9]{1,12}$/.test(symbol)).sort()
}

/** The parts of the index that the text of the documents makes. */
export function buildIndexParts(
  documents: readonly AnalysedDocument[],
  words: WordVectors | null,
): IndexParts {
  const text = buildTextIndex(
    documents.map(({ stems }) => stems),
    (stem) => hasVector(words, stem),
  )
  const known = words && termWords(text.terms, words)
  return {
    text,
    typos: buildTypoIndex(text, known),
    termWords: known,
    vectors: words && { dimensions: words.dimensions, rows: rowsOf(documents, words.dimensions) },
    penalties: Float32Array.from(documents, penaltyOf),
  }
}

const PENALTY = 0.04
const MAX_PENALTY = 0.6

/** A repeated word gains nothing, since it counts once in a field; beyond what honest texts repeat, it costs. */
const penaltyOf = ({ excess }: AnalysedDocument): number => Math.min(MAX_PENALTY, PENALTY * excess)

const termWords = (terms: TermTable, words: WordVectors): Int32Array<ArrayBuffer> =>
  Int32Array.from(
    { length: terms.starts.length - 1 },
    (_, term) => termOf(words.stems, wordOf(terms, term)) ?? -1,
  )

function rowsOf(
  documents: readonly AnalysedDocument[],
  dimensions: number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(documents.length * dimensions)
  for (const [at, { vector }] of documents.entries()) if (vector) rows.set(vector, at * dimensions)
  return rows
}
