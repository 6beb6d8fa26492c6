import type { SearchDocument } from '../search-document.ts'
import { stemsOf } from '../text/stems.ts'
import { encodeStems, normalise } from '../vectors/encode.ts'
import type { WordVectors } from '../vectors/format.ts'
import { FIELDS } from './fields.ts'

/** Unit vectors, a row for each document; a document of which nothing is known has zeros. */
export type DocumentVectors = Readonly<{
  dimensions: number
  rows: Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer>
}>

/** A document's vector is the sum of its fields' unit vectors, so that a long description does not drown name and tags. */
export function documentVectors(
  documents: readonly SearchDocument[],
  words: WordVectors,
): DocumentVectors {
  const { dimensions } = words
  const rows = new Float32Array(documents.length * dimensions)
  for (const [at, document] of documents.entries()) {
    const row = rows.subarray(at * dimensions, (at + 1) * dimensions)
    for (const { text, meaning } of FIELDS) {
      const stems = meaning > 0 ? new Set(stemsOf(text(document))) : []
      const vector = encodeStems(words, stems, 'description')
      if (vector === null) continue
      for (let d = 0; d < dimensions; d += 1)
        row[d] = (row[d] as number) + meaning * (vector[d] as number)
    }
    normalise(row)
  }
  return { dimensions, rows }
}
