import { Buffer } from 'node:buffer'
import type { XdrFormat } from '../params.ts'

/** An XDR class of the SDK. */
interface XdrClass {
  fromXdr(bytes: Uint8Array): { toJson(): unknown }
}

type Members = Record<string, unknown>

/** Name of a member in the two formats, for example `resultXdr` and `resultJson`. */
type Names = readonly [base64: string, json: string]

/** Builds members of an answer from XDR, in the requested `xdrFormat`: base64 or SEP-51 JSON. */
export interface XdrFields {
  one(names: Names, type: XdrClass, bytes: Uint8Array): Members
  list(names: Names, type: XdrClass, items: readonly Uint8Array[]): Members
  lists(names: Names, type: XdrClass, items: readonly (readonly Uint8Array[])[]): Members
}

export const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** Undefined when the text is not valid base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined
}

/** Undefined when the text is not valid base64 of this XDR type. */
export function readBase64<T>(text: string, decode: (bytes: Uint8Array) => T): T | undefined {
  const bytes = fromBase64(text)
  if (!bytes) return undefined
  try {
    return decode(bytes)
  } catch {
    return undefined
  }
}

export function xdrFields(format: XdrFormat): XdrFields {
  const name = format === 'base64' ? 0 : 1
  const write = (type: XdrClass, bytes: Uint8Array): unknown =>
    format === 'base64' ? toBase64(bytes) : type.fromXdr(bytes).toJson()
  return {
    one: (names, type, bytes) => ({ [names[name]]: write(type, bytes) }),
    list: (names, type, items) => ({ [names[name]]: items.map((item) => write(type, item)) }),
    lists: (names, type, items) => ({
      [names[name]]: items.map((inner) => inner.map((item) => write(type, item))),
    }),
  }
}
