/**
 * Bytes that arrive in pieces. It copies them: held as a list, pieces of one byte would take a hundred times their bytes.
 */
export class ByteBuffer {
  #buffer: Buffer = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** A view: the next change may overwrite it. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Holds the first piece itself, so that a message that arrives whole is never copied. */
  append(piece: Uint8Array): void {
    const held = this.#length
    this.#length += piece.length
    if (held === 0) {
      this.#buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
      return
    }
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#length))
      this.#buffer.copy(larger, 0, 0, held)
      this.#buffer = larger
    }
    this.#buffer.set(piece, held)
  }

  /** Forgets the first bytes. Copies what is left: a view of it would keep all. */
  drop(count: number): void {
    this.#buffer = Buffer.from(this.#buffer.subarray(count, this.#length))
    this.#length = this.#buffer.length
  }
}
