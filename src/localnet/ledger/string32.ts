import type { xdr } from '@stellar/stellar-sdk'

/** What home domains and data names may hold: ASCII without control characters (stellar-core's isString32Valid). */
export const isString32Valid = ({ bytes }: xdr.XdrString): boolean =>
  bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
