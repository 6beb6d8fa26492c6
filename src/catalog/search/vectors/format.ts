/**
 * The file of word vectors: a line of JSON (`dimensions`, `sources` as the hash of what they were learned from, `stems`
 * as one text separated by spaces), then for each stem its scale in descriptions and its scale in questions (float 32,
 * little endian), then its row of 8-bit integers. A vector is its row times the scale; the scales hold the learned
 * weights.
 */
export type WordVectors = Readonly<{
  dimensions: number
  ids: ReadonlyMap<string, number>
  descriptionScales: Float32Array
  questionScales: Float32Array
  rows: Int8Array
}>

/** Throws when the bytes are no such file, or are cut short. */
export function readWordVectors(bytes: Uint8Array): WordVectors {
  const end = bytes.indexOf(0x0a)
  const { dimensions, stems } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as {
    dimensions: number
    stems: string
  }
  const ids = new Map(stems.split(' ').map((stem, id) => [stem, id]))
  const start = end + 1
  // A copy starts at a multiple of 4 bytes, as an array of floats needs it; a Buffer's own slice would share memory.
  const body = Uint8Array.from(bytes.subarray(start))
  const floats = new Float32Array(body.buffer, 0, 2 * ids.size)
  const rows = new Int8Array(body.buffer, 8 * ids.size)
  if (rows.length !== ids.size * dimensions)
    throw new Error('The file of word vectors is cut short.')
  return {
    dimensions,
    ids,
    descriptionScales: floats.subarray(0, ids.size),
    questionScales: floats.subarray(ids.size),
    rows,
  }
}

/** The bytes of such a file. `sources` names what the vectors were learned from. */
export function writeWordVectors(vectors: WordVectors, sources = ''): Uint8Array {
  const { dimensions, ids, descriptionScales, questionScales, rows } = vectors
  const head = new TextEncoder().encode(
    `${JSON.stringify({ dimensions, sources, stems: [...ids.keys()].join(' ') })}\n`,
  )
  const bytes = new Uint8Array(head.length + 8 * ids.size + rows.length)
  bytes.set(head)
  const view = new DataView(bytes.buffer, head.length)
  for (let id = 0; id < ids.size; id += 1) {
    view.setFloat32(4 * id, descriptionScales[id] as number, true)
    view.setFloat32(4 * (ids.size + id), questionScales[id] as number, true)
  }
  bytes.set(new Uint8Array(rows.buffer, rows.byteOffset, rows.length), head.length + 8 * ids.size)
  return bytes
}
