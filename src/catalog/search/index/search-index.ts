import type { SearchDocument } from '../search-document.ts'
import type { WordVectors } from '../vectors/format.ts'
import { type DocumentVectors, documentVectors } from './document-vectors.ts'
import { fieldStems } from './fields.ts'
import { type TermTable, wordOf } from './term-table.ts'
import { buildTextIndex, type TextIndex } from './text-index.ts'
import { buildTypoIndex, type TypoIndex } from './typo-index.ts'

/** What a build makes of the documents: flat arrays, so that a worker can hand them over without a copy. */
export type IndexParts = Readonly<{
  text: TextIndex
  typos: TypoIndex
  /** The word vector of each term, -1 where there is none; null without word vectors. */
  termWords: Int32Array<ArrayBuffer> | null
  /** Null when only words are compared. */
  vectors: DocumentVectors | null
  /** Whether `vectors` come from an embeddings endpoint, so that the question's vector must come from it too. */
  dense: boolean
  /** Symbols of the assets, in upper case. */
  symbols: readonly string[]
}>

/** Everything that a search needs of the catalog, in memory. */
export type SearchIndex = IndexParts & Readonly<{ documents: readonly SearchDocument[] }>

/**
 * Builds the index in this thread. Without `words` and `dense` it compares words only. `dense` holds a vector for each
 * document, in their order, from an embeddings endpoint; they replace the word vectors in the comparison of meaning.
 */
export const buildSearchIndex = (
  documents: readonly SearchDocument[],
  words: WordVectors | null,
  dense: DocumentVectors | null = null,
): SearchIndex => ({ documents, ...buildIndexParts(documents, words, dense) })

/** The index without its documents. */
export function buildIndexParts(
  documents: readonly SearchDocument[],
  words: WordVectors | null,
  dense: DocumentVectors | null,
): IndexParts {
  const text = buildTextIndex(documents.map(fieldStems))
  return {
    text,
    typos: buildTypoIndex(text.terms),
    termWords: words && termWords(text.terms, words),
    vectors: dense ?? (words && documentVectors(documents, words)),
    dense: dense !== null,
    symbols: symbolsOf(documents),
  }
}

const termWords = (terms: TermTable, words: WordVectors): Int32Array<ArrayBuffer> =>
  Int32Array.from(
    { length: terms.starts.length - 1 },
    (_, term) => words.ids.get(wordOf(terms, term)) ?? -1,
  )

function symbolsOf(documents: readonly SearchDocument[]): readonly string[] {
  const found = new Set<string>()
  for (const { options } of documents)
    for (const { symbol } of options) if (symbol !== null) found.add(symbol.toUpperCase())
  return [...found].filter((symbol) => /^[A-Z0-9]{1,12}$/.test(symbol)).sort()
}
