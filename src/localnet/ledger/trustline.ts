/** A mutable copy of a TrustLineEntry, for classic operations. */
import { xdr } from '@stellar/stellar-sdk'
import { entryExtension } from './account.ts'
import { type AccountId, accountIdOf, publicKeyOf } from './account-id.ts'

export interface Trustline {
  readonly account: AccountId
  readonly asset: xdr.TrustLineAsset
  balance: bigint
  limit: bigint
  flags: number
  ext: xdr.TrustLineEntryExt
  sponsor: AccountId | undefined
  entryExtended: boolean
}

export const trustlineFlags = {
  authorized: 1,
  authorizedToMaintainLiabilities: 2,
  clawbackEnabled: 4,
} as const

export const MAX_INT64 = 2n ** 63n - 1n

export const isAuthorized = ({ flags }: Trustline): boolean =>
  (flags & trustlineFlags.authorized) !== 0

export const trustlineLiabilities = ({ ext }: Trustline): { buying: bigint; selling: bigint } =>
  ext.type === 'v1' ? ext.v1.liabilities : { buying: 0n, selling: 0n }

/** The balance above the selling liabilities. */
export const availableTrustBalance = (line: Trustline): bigint =>
  line.balance - trustlineLiabilities(line).selling

/** Up to the limit, less the buying liabilities. */
export const maxReceivableOnTrustline = (line: Trustline): bigint =>
  line.limit - line.balance - trustlineLiabilities(line).buying

export function decodeTrustline(entryXdr: Uint8Array): Trustline {
  const entry = xdr.LedgerEntry.fromXdr(entryXdr)
  if (entry.data.type !== 'trustline') throw new TypeError(`not a trustline: ${entry.data.type}`)
  const { accountId, asset, balance, limit, flags, ext } = entry.data.trustLine
  const sponsor = entry.ext.type === 'v1' ? entry.ext.v1.sponsoringId : null
  return {
    account: accountIdOf(accountId),
    asset,
    balance,
    limit,
    flags,
    ext,
    sponsor: sponsor ? accountIdOf(sponsor) : undefined,
    entryExtended: entry.ext.type === 'v1',
  }
}

export function encodeTrustline(line: Trustline, ledger: number): Uint8Array {
  return new xdr.LedgerEntry({
    lastModifiedLedgerSeq: ledger,
    data: xdr.LedgerEntryData.trustline(
      new xdr.TrustLineEntry({
        accountId: publicKeyOf(line.account),
        asset: line.asset,
        balance: line.balance,
        limit: line.limit,
        flags: line.flags,
        ext: line.ext,
      }),
    ),
    ext: entryExtension(line.sponsor, line.entryExtended),
  }).toXdr()
}
