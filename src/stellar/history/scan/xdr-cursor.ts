/**
 * Reads XDR (RFC 4506) from front to back, a value at a time. The SDK decodes whole structures, and takes ten times as
 * long for an envelope of which the explorer needs a tenth; it reads thousands of them a second.
 *
 * Every method throws RangeError at the end of the bytes.
 */
export class XdrCursor {
  readonly bytes: Buffer
  offset = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  uint32(): number {
    const value = this.bytes.readUInt32BE(this.offset)
    this.offset += 4
    return value
  }

  int32(): number {
    const value = this.bytes.readInt32BE(this.offset)
    this.offset += 4
    return value
  }

  uint64(): bigint {
    const value = this.bytes.readBigUInt64BE(this.offset)
    this.offset += 8
    return value
  }

  int64(): bigint {
    const value = this.bytes.readBigInt64BE(this.offset)
    this.offset += 8
    return value
  }

  /** Bytes of a fixed length, without a copy. */
  fixed(length: number): Buffer {
    const end = this.offset + length
    const padded = (end + 3) & ~3
    if (padded > this.bytes.length) throw new RangeError(`XDR ends at ${this.bytes.length}`)
    const value = this.bytes.subarray(this.offset, end)
    this.offset = padded
    return value
  }

  /** Bytes with their length before them, without a copy. */
  opaque(): Buffer {
    return this.fixed(this.uint32())
  }

  /** Whether an optional value follows. */
  isPresent(): boolean {
    return this.uint32() !== 0
  }

  skip(length: number): void {
    this.offset += length
    if (this.offset > this.bytes.length) throw new RangeError(`XDR ends at ${this.bytes.length}`)
  }

  /** Calls `read` for each item of an array with its length before it. */
  each(read: (cursor: XdrCursor) => void): void {
    for (let left = this.uint32(); left > 0; left--) read(this)
  }

  list<T>(read: (cursor: XdrCursor) => T): T[] {
    const items: T[] = []
    for (let left = this.uint32(); left > 0; left--) items.push(read(this))
    return items
  }
}

/** A union has a member that this code does not know. */
export class UnknownXdr extends Error {
  override readonly name = 'UnknownXdr'

  constructor(union: string, type: number) {
    super(`${union} of type ${type}`)
  }
}
