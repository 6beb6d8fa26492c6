import type { Random } from './random.ts'
import { multiplySparse, type SparseMatrix } from './sparse-matrix.ts'

/**
 * The `count` eigenvectors of the largest absolute eigenvalues, side by side in the rows of `vectors`, by orthogonal
 * iteration. `rounds` is how often the matrix multiplies them: a few rounds find the space that they span.
 */
export function eigenvectors(
  matrix: SparseMatrix,
  count: number,
  rounds: number,
  random: Random,
): { vectors: Float32Array; values: Float64Array } {
  let vectors: Float32Array = Float32Array.from({ length: matrix.size * count }, () =>
    random.normal(),
  )
  let values: Float64Array = orthonormalise(vectors, count)
  for (let round = 0; round < rounds; round += 1) {
    vectors = multiplySparse(matrix, vectors, count)
    values = orthonormalise(vectors, count)
  }
  return { vectors, values }
}

/** Makes the columns orthogonal and of length 1, in place (Gram and Schmidt); returns their lengths before. */
function orthonormalise(matrix: Float32Array, width: number): Float64Array {
  const height = matrix.length / width
  const columns = Array.from({ length: width }, (_, c) =>
    Float32Array.from({ length: height }, (_, row) => matrix[row * width + c] as number),
  )
  const lengths = new Float64Array(width)
  for (const [c, column] of columns.entries()) {
    for (const before of columns.slice(0, c)) subtract(column, dot(column, before), before)
    const length = Math.sqrt(dot(column, column)) + 1e-12
    lengths[c] = length
    for (let row = 0; row < height; row += 1) {
      column[row] = (column[row] as number) / length
      matrix[row * width + c] = column[row] as number
    }
  }
  return lengths
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i += 1) sum += (a[i] as number) * (b[i] as number)
  return sum
}

function subtract(from: Float32Array, factor: number, other: Float32Array): void {
  for (let i = 0; i < from.length; i += 1)
    from[i] = (from[i] as number) - factor * (other[i] as number)
}
