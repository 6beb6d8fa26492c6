import { termOf } from '../index/term-table.ts'
import type { WordVectors } from './format.ts'

/** The unit vector of a text's stems, or `null` when no stem has a vector. `side` chooses the weights. */
export function encodeStems(
  vectors: WordVectors,
  stems: Iterable<string>,
  side: 'question' | 'description',
): Float32Array | null {
  const { dimensions, rows } = vectors
  const scales = side === 'question' ? vectors.questionScales : vectors.descriptionScales
  const sum = new Float32Array(dimensions)
  let known = false
  for (const stem of stems) {
    const id = termOf(vectors.stems, stem)
    if (id === undefined) continue
    known = true
    const scale = scales[id] as number
    const from = id * dimensions
    for (let d = 0; d < dimensions; d += 1)
      sum[d] = (sum[d] as number) + scale * (rows[from + d] as number)
  }
  return known ? normalise(sum) : null
}

/** Divides by the length, in place. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares)
  if (length > 0)
    for (let d = 0; d < vector.length; d += 1) vector[d] = (vector[d] as number) / length
  return vector
}
