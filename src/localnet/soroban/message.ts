/**
 * The host's messages: numbers little endian, bytes with a u32 length, lists with a u32 count,
 * options with a u8 flag. The counterpart of the crate's `framing`.
 */
export class MessageWriter {
  readonly #parts: Uint8Array[] = []
  #length = 0

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes)
    this.#length += bytes.length
    return this
  }

  u8(value: number): this {
    return this.raw(Uint8Array.of(value))
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0)
  }

  u32(value: number): this {
    const bytes = new Uint8Array(4)
    new DataView(bytes.buffer).setUint32(0, value, true)
    return this.raw(bytes)
  }

  u64(value: bigint): this {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigUint64(0, value, true)
    return this.raw(bytes)
  }

  bytes(value: Uint8Array): this {
    return this.u32(value.length).raw(value)
  }

  list(values: readonly Uint8Array[]): this {
    this.u32(values.length)
    for (const value of values) this.bytes(value)
    return this
  }

  numbers(values: readonly number[]): this {
    this.u32(values.length)
    for (const value of values) this.u32(value)
    return this
  }

  done(): Uint8Array {
    const out = new Uint8Array(this.#length)
    let at = 0
    for (const part of this.#parts) {
      out.set(part, at)
      at += part.length
    }
    return out
  }
}

const text = new TextDecoder()

export class MessageReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #advance(length: number): number {
    const at = this.#at
    this.#at += length
    return at
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1))
  }

  bool(): boolean {
    return this.u8() !== 0
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true)
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true)
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true)
  }

  /** A copy, so that it outlives the message and owns its buffer. */
  bytes(): Uint8Array {
    const length = this.u32()
    const at = this.#advance(length)
    return this.#bytes.slice(at, at + length)
  }

  /** A copy of the remaining bytes. */
  rest(): Uint8Array {
    return this.#bytes.slice(this.#advance(this.#bytes.length - this.#at))
  }

  text(): string {
    return text.decode(this.bytes())
  }

  option(): Uint8Array | undefined {
    return this.bool() ? this.bytes() : undefined
  }

  list(): Uint8Array[] {
    return this.many(() => this.bytes())
  }

  numbers(): number[] {
    return this.many(() => this.u32())
  }

  many<T>(read: () => T): T[] {
    return Array.from({ length: this.u32() }, read)
  }
}
