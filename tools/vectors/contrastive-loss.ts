/**
 * The loss of a batch in which row i of `left` belongs to row i of `right`: cross-entropy of each row's partner among
 * all rows of the other side, averaged over both directions, and its gradients by the unit vectors. Two rows with
 * equal `labels` are no negatives of each other. `temperature` divides the cosines.
 */
export function contrastiveLoss(
  left: Float32Array,
  right: Float32Array,
  labels: Int32Array,
  dimensions: number,
  temperature: number,
): { loss: number; leftGradient: Float32Array; rightGradient: Float32Array } {
  const rows = labels.length
  const cosines = similarities(left, right, labels, dimensions, temperature)
  const gradient = new Float32Array(rows * rows)
  let loss = 0
  for (let i = 0; i < rows; i += 1) {
    loss -= addSoftmax(cosines, gradient, rows, i * rows, 1, i)
    loss -= addSoftmax(cosines, gradient, rows, i, rows, i)
  }
  for (let i = 0; i < rows; i += 1) gradient[i * rows + i] = (gradient[i * rows + i] as number) - 1
  const scale = 1 / (rows * temperature)
  for (let i = 0; i < gradient.length; i += 1) gradient[i] = (gradient[i] as number) * scale
  return {
    loss: loss / (2 * rows),
    leftGradient: multiply(gradient, right, rows, dimensions, false),
    rightGradient: multiply(gradient, left, rows, dimensions, true),
  }
}

function similarities(
  left: Float32Array,
  right: Float32Array,
  labels: Int32Array,
  dimensions: number,
  temperature: number,
): Float32Array {
  const rows = labels.length
  const result = new Float32Array(rows * rows)
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < rows; j += 1) {
      const sum = product(left, i * dimensions, right, j * dimensions, dimensions)
      result[i * rows + j] = i !== j && labels[i] === labels[j] ? -30 : sum / temperature
    }
  }
  return result
}

/** Four sums at once, which a processor computes side by side. `length` is a multiple of 4. */
function product(a: Float32Array, i: number, b: Float32Array, j: number, length: number): number {
  let [s, t, u, v] = [0, 0, 0, 0]
  for (let d = 0; d < length; d += 4) {
    s += (a[i + d] as number) * (b[j + d] as number)
    t += (a[i + d + 1] as number) * (b[j + d + 1] as number)
    u += (a[i + d + 2] as number) * (b[j + d + 2] as number)
    v += (a[i + d + 3] as number) * (b[j + d + 3] as number)
  }
  return s + t + u + v
}

/** Adds half the softmax of one line of the matrix to `sink`, and returns the logarithm of the partner's share. */
function addSoftmax(
  values: Float32Array,
  sink: Float32Array,
  rows: number,
  start: number,
  step: number,
  partner: number,
): number {
  let highest = Number.NEGATIVE_INFINITY
  for (let k = 0; k < rows; k += 1) highest = Math.max(highest, values[start + k * step] as number)
  let sum = 0
  for (let k = 0; k < rows; k += 1) sum += Math.exp((values[start + k * step] as number) - highest)
  for (let k = 0; k < rows; k += 1) {
    const at = start + k * step
    sink[at] = (sink[at] as number) + Math.exp((values[at] as number) - highest) / sum / 2
  }
  return (values[start + partner * step] as number) - highest - Math.log(sum)
}

function multiply(
  matrix: Float32Array,
  vectors: Float32Array,
  rows: number,
  dimensions: number,
  transposed: boolean,
): Float32Array {
  const result = new Float32Array(rows * dimensions)
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < rows; j += 1) {
      const factor = matrix[transposed ? j * rows + i : i * rows + j] as number
      if (factor > -1e-6 && factor < 1e-6) continue
      const from = j * dimensions
      const to = i * dimensions
      for (let d = 0; d < dimensions; d += 1)
        result[to + d] = (result[to + d] as number) + factor * (vectors[from + d] as number)
    }
  }
  return result
}
