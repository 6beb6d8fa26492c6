import { buildTermTable } from '../../src/catalog/search/index/term-table.ts'
import type { WordVectors } from '../../src/catalog/search/vectors/format.ts'
import type { Encoder } from './encoder.ts'
import type { EncodedPair, Vocabulary } from './vocabulary.ts'

/**
 * The encoder in 8 bits a number. A stem that no training question holds gets its weight of descriptions in questions
 * too, since its own was never learned.
 */
export function quantise(
  encoder: Encoder,
  vocabulary: Vocabulary,
  pairs: readonly EncodedPair[],
): WordVectors {
  const { dimensions, vectors } = encoder
  const size = vocabulary.stems.length
  const asked = new Set(pairs.flatMap(([question]) => [...question]))
  const rows = new Int8Array(size * dimensions)
  const descriptionScales = new Float32Array(size)
  const questionScales = new Float32Array(size)
  for (let id = 0; id < size; id += 1) {
    const row = vectors.subarray(id * dimensions, (id + 1) * dimensions)
    const highest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9)
    for (let d = 0; d < dimensions; d += 1)
      rows[id * dimensions + d] = Math.round(((row[d] as number) / highest) * 127)
    const description = encoder.descriptionWeights[id] as number
    const question = asked.has(id) ? (encoder.questionWeights[id] as number) : description
    descriptionScales[id] = (Math.exp(description) * highest) / 127
    questionScales[id] = (Math.exp(question) * highest) / 127
  }
  const stems = buildTermTable(vocabulary.stems)
  return { dimensions, stems, descriptionScales, questionScales, rows }
}
