/** A mutable copy of a DataEntry, for classic operations. */
import { xdr } from '@stellar/stellar-sdk'
import { entryExtension } from './account.ts'
import { type AccountId, accountIdOf, publicKeyOf } from './account-id.ts'

export interface DataEntry {
  readonly account: AccountId
  readonly name: xdr.XdrString
  value: xdr.DataValue
  sponsor: AccountId | undefined
  entryExtended: boolean
}

/** ASCII without control characters: the rule for data names and home domains. */
export const isString32Valid = ({ bytes }: xdr.XdrString): boolean =>
  bytes.every((byte) => byte >= 0x20 && byte < 0x7f)

export function decodeData(entryXdr: Uint8Array): DataEntry {
  const entry = xdr.LedgerEntry.fromXdr(entryXdr)
  if (entry.data.type !== 'data') throw new TypeError(`not a data entry: ${entry.data.type}`)
  const { accountId, dataName, dataValue } = entry.data.data
  const sponsor = entry.ext.type === 'v1' ? entry.ext.v1.sponsoringId : null
  return {
    account: accountIdOf(accountId),
    name: dataName,
    value: dataValue,
    sponsor: sponsor ? accountIdOf(sponsor) : undefined,
    entryExtended: entry.ext.type === 'v1',
  }
}

export function encodeData(data: DataEntry, ledger: number): Uint8Array {
  return new xdr.LedgerEntry({
    lastModifiedLedgerSeq: ledger,
    data: xdr.LedgerEntryData.data(
      new xdr.DataEntry({
        accountId: publicKeyOf(data.account),
        dataName: data.name,
        dataValue: data.value,
        ext: xdr.DataEntryExt.v0(),
      }),
    ),
    ext: entryExtension(data.sponsor, data.entryExtended),
  }).toXdr()
}
