import { buildTermTable, type TermTable, termOf, wordOf } from '../index/term-table.ts'

/**
 * The file of word vectors: a line of JSON (`dimensions`, `sources` as the hash of what they were learned from, `stems`
 * as one text separated by spaces), filled with spaces to a multiple of 4 bytes; then for each stem its scale in descriptions and its
 * scale in questions (float 32, little endian), then its row of 8-bit integers. A vector is its row times the scale; the scales hold
 * the learned weights.
 */
export type WordVectors = Readonly<{
  dimensions: number
  stems: TermTable
  descriptionScales: Float32Array
  questionScales: Float32Array
  rows: Int8Array
}>

/**
 * The vectors over these bytes, which are not copied and have to begin at a multiple of 4. Throws when they are no such file, or are cut
 * short.
 */
export function readWordVectors(bytes: Uint8Array): WordVectors {
  const end = bytes.indexOf(0x0a)
  // A decoder refuses memory that threads share.
  const head = new TextDecoder().decode(bytes.slice(0, end))
  const { dimensions, stems } = JSON.parse(head) as { dimensions: number; stems: string }
  const table = buildTermTable(stems.split(' '))
  const count = countOf(table)
  const { buffer } = bytes
  const start = bytes.byteOffset + end + 1
  if (bytes.byteOffset + bytes.length !== start + count * (8 + dimensions))
    throw new Error('The file of word vectors is cut short.')
  return {
    dimensions,
    stems: table,
    descriptionScales: new Float32Array(buffer, start, count),
    questionScales: new Float32Array(buffer, start + 4 * count, count),
    rows: new Int8Array(buffer, start + 8 * count, count * dimensions),
  }
}

/** The bytes of such a file. `sources` names what the vectors were learned from. */
export function writeWordVectors(vectors: WordVectors, sources = ''): Uint8Array {
  const { dimensions, stems: table, descriptionScales, questionScales, rows } = vectors
  const count = countOf(table)
  const stems = Array.from({ length: count }, (_, id) => wordOf(table, id)).join(' ')
  const json = new TextEncoder().encode(JSON.stringify({ dimensions, sources, stems }))
  const start = 4 * Math.ceil((json.length + 1) / 4)
  const bytes = new Uint8Array(start + 8 * count + rows.length)
  bytes.fill(0x20, 0, start)
  bytes.set(json)
  bytes[start - 1] = 0x0a
  const view = new DataView(bytes.buffer, start)
  for (let id = 0; id < count; id += 1) {
    view.setFloat32(4 * id, descriptionScales[id] as number, true)
    view.setFloat32(4 * (count + id), questionScales[id] as number, true)
  }
  bytes.set(new Uint8Array(rows.buffer, rows.byteOffset, rows.length), start + 8 * count)
  return bytes
}

/** How many stems have a vector. */
export const countOf = ({ starts }: TermTable): number => starts.length - 1

/** Whether a stem has a vector; false without word vectors. */
export const hasVector = (words: WordVectors | null, stem: string): boolean =>
  words !== null && termOf(words.stems, stem) !== undefined
