import type { ScValue } from '../../values/sc-value.ts'
import { scanAddress } from './scan-address.ts'
import { UnknownXdr, type XdrCursor } from './xdr-cursor.ts'

/**
 * Reads an `SCVal` as `readScValue` does, errors apart: no payment has one. Throws on a type that cannot be the argument
 * of a call.
 */
export function scanScValue(cursor: XdrCursor): ScValue {
  const type = cursor.uint32()
  switch (type) {
    case 0:
      return { type: 'bool', value: cursor.isPresent() }
    case 1:
      return { type: 'void' }
    case 3:
      return { type: 'u32', value: BigInt(cursor.uint32()) }
    case 4:
      return { type: 'i32', value: BigInt(cursor.int32()) }
    case 5:
      return { type: 'u64', value: cursor.uint64() }
    case 6:
      return { type: 'i64', value: cursor.int64() }
    case 9:
      return { type: 'u128', value: (cursor.uint64() << 64n) | cursor.uint64() }
    case 10:
      return { type: 'i128', value: (cursor.int64() << 64n) | cursor.uint64() }
    case 13:
      return { type: 'bytes', value: cursor.opaque() }
    case 14:
      return { type: 'string', value: cursor.opaque().toString() }
    case 15:
      return { type: 'symbol', value: cursor.opaque().toString() }
    case 16:
      return { type: 'vec', items: cursor.isPresent() ? cursor.list(scanScValue) : [] }
    case 17:
      return { type: 'map', entries: cursor.isPresent() ? cursor.list(scanMapEntry) : [] }
    case 18:
      return { type: 'address', value: scanAddress(cursor) }
    default:
      return skipOther(cursor, type)
  }
}

const scanMapEntry = (cursor: XdrCursor): readonly [ScValue, ScValue] => [
  scanScValue(cursor),
  scanScValue(cursor),
]

/** Types of a fixed length that no check reads. */
const others: Readonly<Record<number, readonly [xdrType: string, bytes: number]>> = {
  2: ['scvError', 8],
  7: ['scvTimepoint', 8],
  8: ['scvDuration', 8],
  11: ['scvU256', 32],
  12: ['scvI256', 32],
}

function skipOther(cursor: XdrCursor, type: number): ScValue {
  const [xdrType, bytes] = others[type] ?? []
  if (xdrType === undefined || bytes === undefined) throw new UnknownXdr('SCVal', type)
  cursor.skip(bytes)
  return { type: 'other', xdrType }
}
