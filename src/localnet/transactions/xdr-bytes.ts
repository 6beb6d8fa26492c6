/** XDR built from parts that are encoded already. */

/** An unsigned 32-bit number, big endian. */
export function xdrUint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** A variable-length array of encoded items. */
export const xdrList = (items: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([xdrUint32(items.length), ...items])

/** An optional encoded item. */
export const xdrOption = (item: Uint8Array | undefined): Uint8Array =>
  item ? Buffer.concat([xdrUint32(1), item]) : xdrUint32(0)

/** A signed 64-bit number, big endian. */
export function xdrInt64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value)
  return bytes
}
