const MEAN_DECAY = 0.9
const SQUARE_DECAY = 0.98

/** Adam (Kingma and Ba, 2014) without bias correction, that changes only the rows which a batch touched. */
export class SparseAdam {
  readonly #values: Float32Array
  readonly #width: number
  readonly #gradient: Float32Array
  readonly #mean: Float32Array
  readonly #square: Float32Array
  readonly #touched = new Set<number>()

  constructor(values: Float32Array, width: number) {
    this.#values = values
    this.#width = width
    this.#gradient = new Float32Array(values.length)
    this.#mean = new Float32Array(values.length)
    this.#square = new Float32Array(values.length)
  }

  /** Adds `factor` times `width` numbers of `source` to the gradient of a row. */
  add(row: number, factor: number, source: Float32Array, from: number): void {
    this.#touched.add(row)
    const to = row * this.#width
    for (let d = 0; d < this.#width; d += 1) {
      this.#gradient[to + d] =
        (this.#gradient[to + d] as number) + factor * (source[from + d] as number)
    }
  }

  /** Adds a number to the gradient of a row of width 1. */
  addOne(row: number, value: number): void {
    this.#touched.add(row)
    this.#gradient[row] = (this.#gradient[row] as number) + value
  }

  /** Moves the touched rows against their gradients, and forgets the gradients. */
  step(rate: number): void {
    for (const row of this.#touched) {
      for (let at = row * this.#width; at < (row + 1) * this.#width; at += 1) {
        const gradient = this.#gradient[at] as number
        const mean = MEAN_DECAY * (this.#mean[at] as number) + (1 - MEAN_DECAY) * gradient
        const square =
          SQUARE_DECAY * (this.#square[at] as number) + (1 - SQUARE_DECAY) * gradient * gradient
        this.#mean[at] = mean
        this.#square[at] = square
        this.#values[at] = (this.#values[at] as number) - (rate * mean) / (Math.sqrt(square) + 1e-7)
        this.#gradient[at] = 0
      }
    }
    this.#touched.clear()
  }
}
