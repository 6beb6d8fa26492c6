import { StrKey } from '@stellar/stellar-sdk'
import { UnknownXdr, type XdrCursor } from './xdr-cursor.ts'

const KEY_BYTES = 32
const ID_BYTES = 8

type Encode = (bytes: Uint8Array) => string

/**
 * A strkey costs more than everything else that is read of it, and few addresses occur often: assets, sellers and
 * facilitators' accounts. So the last ones are kept.
 */
const known = new Map<string, string>()
const MAX_KNOWN = 10_000

function strkey(version: string, bytes: Buffer, encode: Encode): string {
  const key = version + bytes.toString('latin1')
  const found = known.get(key)
  if (found !== undefined) return found
  if (known.size === MAX_KNOWN) known.clear()
  const text = encode(bytes)
  known.set(key, text)
  return text
}

const account = (bytes: Buffer) => strkey('G', bytes, StrKey.encodeEd25519PublicKey)
const contract = (bytes: Buffer) => strkey('C', bytes, StrKey.encodeContract)
const muxed = (id: Buffer, key: Buffer) => StrKey.encodeMed25519PublicKey(Buffer.concat([key, id]))

/** An `SCAddress` as a strkey of its kind. */
export function scanAddress(cursor: XdrCursor): string {
  const type = cursor.uint32()
  switch (type) {
    case 0:
      return scanAccountId(cursor)
    case 1:
      return contract(cursor.fixed(KEY_BYTES))
    case 2:
      return muxed(cursor.fixed(ID_BYTES), cursor.fixed(KEY_BYTES))
    case 3: {
      // The strkey of a claimable balance has the last byte of its type before the hash.
      const version = cursor.uint32()
      return StrKey.encodeClaimableBalance(
        Buffer.concat([Buffer.from([version]), cursor.fixed(KEY_BYTES)]),
      )
    }
    case 4:
      return StrKey.encodeLiquidityPool(cursor.fixed(KEY_BYTES))
    default:
      throw new UnknownXdr('SCAddress', type)
  }
}

/** An `AccountID`: the only kind of public key is ed25519. */
export function scanAccountId(cursor: XdrCursor): string {
  const type = cursor.uint32()
  if (type !== 0) throw new UnknownXdr('PublicKey', type)
  return account(cursor.fixed(KEY_BYTES))
}

const MUXED_ED25519 = 0x100

/** The account of a `MuxedAccount`, without the id. */
export function scanBaseAccount(cursor: XdrCursor): string {
  const type = cursor.uint32()
  if (type === MUXED_ED25519) cursor.skip(ID_BYTES)
  else if (type !== 0) throw new UnknownXdr('MuxedAccount', type)
  return account(cursor.fixed(KEY_BYTES))
}

/** The source of a transaction of version 0: a key without its type. */
export const scanBareAccount = (cursor: XdrCursor): string => account(cursor.fixed(KEY_BYTES))

export const scanContractId = (cursor: XdrCursor): string => contract(cursor.fixed(KEY_BYTES))
