import { xdr } from '@stellar/stellar-sdk'
import { type AccountId, rawKey } from '../ledger/account-id.ts'

/** An account where a possibly muxed one is asked for. */
export const asMuxed = (id: AccountId): xdr.MuxedAccount =>
  xdr.MuxedAccount.keyTypeEd25519(rawKey(id))
