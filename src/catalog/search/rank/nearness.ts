import type { DocumentVectors } from '../index/search-index.ts'

/** How near every document is to a question in meaning. */
export type Meaning = Readonly<{
  vectors: DocumentVectors
  /** The vector of the question, of length 1. */
  vector: Float32Array
  /** The value of each document. */
  values: Float32Array
  /** A cosine becomes a nearness by this: `(cosine - shift) * factor`. */
  shift: number
  factor: number
}>

/** The word vectors' cosines of a question and all documents have about this mean, and this deviation from it. */
const USUAL_MEAN = 0.06
const USUAL_DEVIATION = 0.13
/** The mean and deviation of fewer cosines say little. */
const MIN_STANDARDISED = 50

/**
 * Nearness is the cosine. With `standardise` the cosines are brought to the mean and deviation that those of the word
 * vectors have, for which the weights of the ranking were measured: each embeddings model has cosines of its own range.
 */
export function nearnesses(
  vectors: DocumentVectors,
  vector: Float32Array,
  standardise: boolean,
): Meaning {
  const { dimensions, rows } = vectors
  const unit = unitOf(vectors)
  const values = new Float32Array(rows.length / dimensions)
  for (let at = 0; at < values.length; at += 1)
    values[at] = unit * dot(rows, at * dimensions, vector)
  if (!standardise || values.length < MIN_STANDARDISED)
    return { vectors, vector, values, shift: 0, factor: unit }
  const mean = values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
  const variance =
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length || 1)
  const factor = USUAL_DEVIATION / (Math.sqrt(variance) || 1)
  const shift = mean - USUAL_MEAN / factor
  return {
    vectors,
    vector,
    values: values.map((value) => (value - shift) * factor),
    shift: shift / unit,
    factor: factor * unit,
  }
}

/** The cosine that a document's nearness came from. */
export const cosineOf = ({ vectors, values, shift, factor }: Meaning, document: number): number =>
  unitOf(vectors) * ((values[document] as number) / factor + shift)

/** Length of a row's member in that of the unit vector. */
const unitOf = ({ rows }: DocumentVectors): number => (rows instanceof Int8Array ? 1 / 127 : 1)

/** Nearness of a document to another vector than the question's. */
export const nearness = (
  { vectors, shift, factor }: Meaning,
  document: number,
  vector: Float32Array,
): number => (dot(vectors.rows, document * vectors.dimensions, vector) - shift) * factor

/** Four sums side by side, since the processor adds them at the same time. */
function dot(rows: DocumentVectors['rows'], from: number, vector: Float32Array): number {
  const { length } = vector
  let a = 0
  let b = 0
  let c = 0
  let e = 0
  let d = 0
  for (; d + 3 < length; d += 4) {
    a += (rows[from + d] as number) * (vector[d] as number)
    b += (rows[from + d + 1] as number) * (vector[d + 1] as number)
    c += (rows[from + d + 2] as number) * (vector[d + 2] as number)
    e += (rows[from + d + 3] as number) * (vector[d + 3] as number)
  }
  for (; d < length; d += 1) a += (rows[from + d] as number) * (vector[d] as number)
  return a + b + c + e
}
