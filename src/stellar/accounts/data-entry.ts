/** Data entries of accounts: up to 64 bytes under a name, half an XLM of reserve each. */
import { xdr } from '@stellar/stellar-sdk'
import { publicKeyOf } from './strkey.ts'

/** Base64 `LedgerKey` of a data entry of a `G...` account. */
export const dataEntryKey = (address: string, name: string): string =>
  xdr.LedgerKey.data(
    new xdr.LedgerKeyData({
      accountId: xdr.PublicKey.publicKeyTypeEd25519(publicKeyOf(address)),
      dataName: new xdr.XdrString(name),
    }),
  ).toXdr('base64')

/** The text in a base64 `LedgerEntryData`; undefined when it is not a data entry. */
export function readDataEntry(base64: string): string | undefined {
  const entry = xdr.LedgerEntryData.fromXdr(base64, 'base64')
  return entry.type === 'data' ? new TextDecoder().decode(entry.data.dataValue.value) : undefined
}

/** The body of an operation that sets the entry of its source account, or without a value removes it. */
export const manageDataBody = (name: string, value: string | undefined): xdr.OperationBody =>
  xdr.OperationBody.manageData(
    new xdr.ManageDataOp({
      dataName: new xdr.XdrString(name),
      dataValue: value === undefined ? null : new xdr.DataValue(new TextEncoder().encode(value)),
    }),
  )
