/** A symmetric matrix of stems by stems: row i has `columns` and `values` from `starts[i]` to `starts[i + 1]`. */
export type SparseMatrix = Readonly<{
  size: number
  starts: Int32Array
  columns: Int32Array
  values: Float32Array
}>

/** The matrix times `width` vectors, which stand side by side in `right`, row after row. */
export function multiplySparse(
  matrix: SparseMatrix,
  right: Float32Array,
  width: number,
): Float32Array {
  const { size, starts, columns, values } = matrix
  const result = new Float32Array(size * width)
  for (let row = 0; row < size; row += 1) {
    const to = row * width
    const end = starts[row + 1] as number
    for (let at = starts[row] as number; at < end; at += 1) {
      const value = values[at] as number
      const from = (columns[at] as number) * width
      for (let d = 0; d < width; d += 1)
        result[to + d] = (result[to + d] as number) + value * (right[from + d] as number)
    }
  }
  return result
}
