import type { SparseMatrix } from './sparse-matrix.ts'

/** A text as different ids of stems, and how many times it counts (1 to 15). */
export type CountedText = Readonly<{ ids: Int32Array; times: number }>

const TIMES = 16
/** Exponent of a stem's frequency: below 1 it lowers what rare stems get (Levy, Goldberg and Dagan, 2015). */
const SMOOTHING = 0.75

/**
 * Positive pointwise mutual information of each two stems that meet in a text: the logarithm of how much more often
 * they meet than by chance, where that is above 0.
 */
export function mutualInformation(texts: readonly CountedText[], size: number): SparseMatrix {
  const { rows, columns, counts } = countMeetings(texts, size)
  const sums = new Float64Array(size)
  for (const [at, row] of rows.entries()) sums[row] = (sums[row] as number) + (counts[at] as number)
  const smoothed = sums.map((sum) => sum ** SMOOTHING)
  const logTotal = Math.log(smoothed.reduce((sum, value) => sum + value, 0))
  const chance = sums.map((sum, id) => (Math.log(sum) + Math.log(smoothed[id] as number)) / 2)
  const starts = new Int32Array(size + 1)
  const values = new Float32Array(rows.length)
  let kept = 0
  for (const [at, row] of rows.entries()) {
    const column = columns[at] as number
    const value =
      Math.log(counts[at] as number) +
      logTotal -
      (chance[row] as number) -
      (chance[column] as number)
    if (value <= 0) continue
    columns[kept] = column
    values[kept] = value
    kept += 1
    starts[row + 1] = kept
  }
  // A row without values ends where the one before it ends.
  for (let row = 1; row <= size; row += 1)
    starts[row] = Math.max(starts[row] as number, starts[row - 1] as number)
  return { size, starts, columns: columns.slice(0, kept), values: values.slice(0, kept) }
}

/** How often each two stems meet, in the order of rows and columns. */
function countMeetings(
  texts: readonly CountedText[],
  size: number,
): { rows: Int32Array; columns: Int32Array; counts: Float32Array } {
  const meetings = texts.reduce((sum, { ids }) => sum + ids.length * (ids.length - 1), 0)
  // Row, column and count as one number, so that sorting brings equal rows and columns together.
  const keys = new Float64Array(meetings)
  let filled = 0
  for (const { ids, times } of texts) {
    for (const row of ids) {
      for (const column of ids) {
        if (row === column) continue
        keys[filled] = (row * size + column) * TIMES + times
        filled += 1
      }
    }
  }
  keys.sort()
  const rows = new Int32Array(meetings)
  const columns = new Int32Array(meetings)
  const counts = new Float32Array(meetings)
  let last = -1
  let cell = -1
  for (const key of keys) {
    const place = Math.floor(key / TIMES)
    if (place !== last) {
      last = place
      cell += 1
      rows[cell] = Math.floor(place / size)
      columns[cell] = place % size
    }
    counts[cell] = (counts[cell] as number) + (key - place * TIMES)
  }
  const cells = cell + 1
  return {
    rows: rows.subarray(0, cells),
    columns: columns.subarray(0, cells),
    counts: counts.subarray(0, cells),
  }
}
