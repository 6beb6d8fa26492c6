import type { Vocabulary } from './vocabulary.ts'

/** What is learned: a vector for each stem, and the logarithm of its weight in questions and in descriptions. */
export type Encoder = Readonly<{
  dimensions: number
  vectors: Float32Array
  questionWeights: Float32Array
  descriptionWeights: Float32Array
}>

/** A text's ids with the sum of their weighted vectors, its length, and the unit vector. */
export type EncodedTexts = Readonly<{
  ids: readonly Int32Array[]
  weights: Float32Array
  norms: Float64Array
  units: Float32Array
}>

/** The vectors at length 1, and weights that start at how rare a stem is. */
export function newEncoder(vocabulary: Vocabulary, vectors: Float32Array): Encoder {
  const { documentFrequency, texts, stems } = vocabulary
  const dimensions = vectors.length / stems.length
  const rarity = Float64Array.from(documentFrequency, (count) =>
    Math.log(texts / Math.max(1, count)),
  )
  const mean = rarity.reduce((sum, value) => sum + value, 0) / rarity.length
  const weights = Float32Array.from(rarity, (value) => Math.log(value / mean + 0.2))
  const units = vectors.slice()
  for (let start = 0; start < units.length; start += dimensions) {
    const unit = units.subarray(start, start + dimensions)
    const length = Math.hypot(...unit) || 1
    for (const [d, value] of unit.entries()) unit[d] = value / length
  }
  return {
    dimensions,
    vectors: units,
    questionWeights: weights,
    descriptionWeights: weights.slice(),
  }
}

/** The unit vectors of the texts, row by row. */
export function encodeTexts(
  encoder: Encoder,
  texts: readonly Int32Array[],
  weights: Float32Array,
): EncodedTexts {
  const { dimensions, vectors } = encoder
  const units = new Float32Array(texts.length * dimensions)
  const norms = new Float64Array(texts.length)
  for (const [row, ids] of texts.entries()) {
    const start = row * dimensions
    for (const id of ids) {
      const weight = Math.exp(weights[id] as number)
      const from = id * dimensions
      for (let d = 0; d < dimensions; d += 1)
        units[start + d] = (units[start + d] as number) + weight * (vectors[from + d] as number)
    }
    let squares = 0
    for (let d = start; d < start + dimensions; d += 1) squares += (units[d] as number) ** 2
    const norm = Math.sqrt(squares) + 1e-6
    norms[row] = norm
    for (let d = start; d < start + dimensions; d += 1) units[d] = (units[d] as number) / norm
  }
  return { ids: texts, weights, norms, units }
}
