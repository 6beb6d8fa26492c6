/** Accounts, trustlines and data entries read from and written to a view of the ledger. */
import type { xdr } from '@stellar/stellar-sdk'
import { type Account, decodeAccount, encodeAccount } from './account.ts'
import type { AccountId } from './account-id.ts'
import { type DataEntry, decodeData, encodeData } from './data-entry.ts'
import type { LedgerView, Overlay } from './entry-store.ts'
import { accountKey, dataKey, trustlineKey } from './keys.ts'
import { decodeTrustline, encodeTrustline, type Trustline } from './trustline.ts'

export function loadAccount(view: LedgerView, id: AccountId): Account | undefined {
  const record = view.get(accountKey(id))
  return record && decodeAccount(record.entry)
}

export const accountExists = (view: LedgerView, id: AccountId): boolean =>
  view.get(accountKey(id)) !== undefined

/** Throws when the account is missing; for callers that hold the proof that it is there. */
export function requireAccount(view: LedgerView, id: AccountId): Account {
  const account = loadAccount(view, id)
  if (!account) throw new Error(`account ${id} is missing`)
  return account
}

export function storeAccount(overlay: Overlay, account: Account, ledger: number): void {
  overlay.write(accountKey(account.id), { entry: encodeAccount(account, ledger) })
}

export function loadTrustline(
  view: LedgerView,
  id: AccountId,
  asset: xdr.TrustLineAsset,
): Trustline | undefined {
  const record = view.get(trustlineKey(id, asset))
  return record && decodeTrustline(record.entry)
}

export function storeTrustline(overlay: Overlay, line: Trustline, ledger: number): void {
  overlay.write(trustlineKey(line.account, line.asset), { entry: encodeTrustline(line, ledger) })
}

export function loadData(
  view: LedgerView,
  id: AccountId,
  name: xdr.XdrString,
): DataEntry | undefined {
  const record = view.get(dataKey(id, name))
  return record && decodeData(record.entry)
}

export function storeData(overlay: Overlay, data: DataEntry, ledger: number): void {
  overlay.write(dataKey(data.account, data.name), { entry: encodeData(data, ledger) })
}
