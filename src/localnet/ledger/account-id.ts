/** Account ids: the ed25519 key in hex, which can be compared and used as a map key. */
import { StrKey, xdr } from '@stellar/stellar-sdk'

declare const accountId: unique symbol
export type AccountId = string & { readonly [accountId]: true }

export const accountIdFromRaw = (raw: Uint8Array): AccountId =>
  Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('hex') as AccountId

export const rawKey = (id: AccountId): Uint8Array => Buffer.from(id, 'hex')

export const accountIdOf = (key: xdr.PublicKey): AccountId => accountIdFromRaw(key.ed25519.value)

export const publicKeyOf = (id: AccountId): xdr.PublicKey =>
  xdr.PublicKey.publicKeyTypeEd25519(rawKey(id))

/** AccountId XDR: the key's type, which is 0, and the key. */
export const accountIdXdr = (id: AccountId): Uint8Array =>
  Buffer.concat([new Uint8Array(4), rawKey(id)])

/** The account under a possibly muxed address; the mux id (CAP-27) has no meaning on the ledger. */
export const unmuxed = (account: xdr.MuxedAccount): AccountId =>
  accountIdFromRaw(
    (account.type === 'keyTypeEd25519' ? account.ed25519 : account.med25519.ed25519).value,
  )

export const muxIdOf = (account: xdr.MuxedAccount): bigint | undefined =>
  account.type === 'keyTypeMuxedEd25519' ? account.med25519.id : undefined

/** Throws when `address` is not a G address. */
export const accountIdFromAddress = (address: string): AccountId =>
  accountIdFromRaw(StrKey.decodeEd25519PublicKey(address))

export const addressOf = (id: AccountId): string => StrKey.encodeEd25519PublicKey(rawKey(id))

export const scAddressOf = (id: AccountId): xdr.ScAddress =>
  xdr.ScAddress.scAddressTypeAccount(publicKeyOf(id))

export const muxedAccountOf = (id: AccountId): xdr.MuxedAccount =>
  xdr.MuxedAccount.keyTypeEd25519(rawKey(id))
