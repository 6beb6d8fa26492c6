/** Loads and stores accounts, trustlines and data entries. */
import type { xdr } from '@stellar/stellar-sdk'
import { type Account, decodeAccount, encodeAccount } from './account.ts'
import type { AccountId } from './account-id.ts'
import { type DataEntry, decodeData, encodeData } from './data-entry.ts'
import type { LedgerReader } from './entry-store.ts'
import { accountKey, dataKey, trustlineKey } from './keys.ts'
import type { LedgerTxn } from './ledger-txn.ts'
import { decodeTrustline, encodeTrustline, type Trustline } from './trustline.ts'

export function loadAccount(reader: LedgerReader, id: AccountId): Account | undefined {
  const record = reader.get(accountKey(id))
  return record && decodeAccount(record.entry)
}

export const accountExists = (reader: LedgerReader, id: AccountId): boolean =>
  reader.get(accountKey(id)) !== undefined

/** For accounts known to exist: throws when the account is missing. */
export function requireAccount(reader: LedgerReader, id: AccountId): Account {
  const account = loadAccount(reader, id)
  if (!account) throw new Error(`account ${id} is missing`)
  return account
}

export function storeAccount(ltx: LedgerTxn, account: Account, ledger: number): void {
  ltx.write(accountKey(account.id), { entry: encodeAccount(account, ledger) })
}

export function loadTrustline(
  reader: LedgerReader,
  id: AccountId,
  asset: xdr.TrustLineAsset,
): Trustline | undefined {
  const record = reader.get(trustlineKey(id, asset))
  return record && decodeTrustline(record.entry)
}

export function storeTrustline(ltx: LedgerTxn, line: Trustline, ledger: number): void {
  ltx.write(trustlineKey(line.account, line.asset), { entry: encodeTrustline(line, ledger) })
}

export function loadData(
  reader: LedgerReader,
  id: AccountId,
  name: xdr.XdrString,
): DataEntry | undefined {
  const record = reader.get(dataKey(id, name))
  return record && decodeData(record.entry)
}

export function storeData(ltx: LedgerTxn, data: DataEntry, ledger: number): void {
  ltx.write(dataKey(data.account, data.name), { entry: encodeData(data, ledger) })
}
