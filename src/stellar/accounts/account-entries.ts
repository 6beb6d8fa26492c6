/** Keys and contents of classic ledger entries: accounts and trustlines. */
import { Asset, xdr } from '@stellar/stellar-sdk'
import { asStroops } from '../../platform/core/amounts/stroops.ts'
import type { AccountState } from '../rpc/rpc.ts'
import { addressOf, publicKeyOf } from './strkey.ts'

const accountId = (address: string): xdr.PublicKey =>
  xdr.PublicKey.publicKeyTypeEd25519(publicKeyOf(address))

/** Base64 `LedgerKey` of a `G...` account. */
export const accountKey = (address: string): string =>
  xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: accountId(address) })).toXdr('base64')

/** Base64 `LedgerKey` of a `G...` account's trustline to a credit asset. */
export const trustlineKey = (address: string, code: string, issuer: string): string =>
  xdr.LedgerKey.trustline(
    new xdr.LedgerKeyTrustLine({
      accountId: accountId(address),
      asset: new Asset(code, issuer).toTrustLineXDRObject(),
    }),
  ).toXdr('base64')

/** Reads a base64 `LedgerEntryData`; undefined when it is not an account. */
export function readAccount(base64: string): AccountState | undefined {
  const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
  if (data.type !== 'account') return undefined
  const { account } = data
  const { masterWeight, high } = thresholdsOf(account)
  const v1 = account.ext.type === 'v1' ? account.ext.v1 : undefined
  const v2 = v1?.ext.type === 'v2' ? v1.ext.v2 : undefined
  return {
    address: addressOf(account.accountId.ed25519.toBytes()),
    balance: asStroops(account.balance),
    sequence: account.seqNum,
    subentries: account.numSubEntries,
    sponsoring: v2?.numSponsoring ?? 0,
    sponsored: v2?.numSponsored ?? 0,
    sellingLiabilities: asStroops(v1?.liabilities.selling ?? 0n),
    ...(masterWeight < Math.max(high, 1) && { keyLacksWeight: true }),
  }
}

/** Reads a base64 `LedgerEntryData`; undefined when it is not a trustline. Base units. */
export function readTrustlineBalance(base64: string): bigint | undefined {
  const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
  return data.type === 'trustline' ? data.trustLine.balance : undefined
}

/** Weight of an account's own key, and its thresholds: the weights that operations need. */
export interface AccountThresholds {
  readonly masterWeight: number
  /** Needed to pay a transaction's fee. */
  readonly low: number
  /** Needed for payments and for creating accounts. */
  readonly medium: number
  /** Needed to merge the account. */
  readonly high: number
}

/** Reads a base64 `LedgerEntryData`; undefined when it is not an account. */
export function readThresholds(base64: string): AccountThresholds | undefined {
  const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
  if (data.type !== 'account') return undefined
  return thresholdsOf(data.account)
}

function thresholdsOf({ thresholds }: xdr.AccountEntry): AccountThresholds {
  const [masterWeight = 0, low = 0, medium = 0, high = 0] = thresholds.toBytes()
  return { masterWeight, low, medium, high }
}
