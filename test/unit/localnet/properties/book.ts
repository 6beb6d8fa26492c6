/** All entries of a closed ledger, read once for every rule. */
import { Address, scValToNative, xdr } from '@stellar/stellar-sdk'
import type { ClosedLedger } from '../../../../src/localnet/history.ts'
import { type Account, decodeAccount } from '../../../../src/localnet/ledger/account.ts'
import { type AccountId, accountIdOf } from '../../../../src/localnet/ledger/account-id.ts'
import type { EntryKey, EntryRecord } from '../../../../src/localnet/ledger/entry-store.ts'
import { decodeTrustline, type Trustline } from '../../../../src/localnet/ledger/trustline.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'

export type Entries = ReadonlyMap<EntryKey, EntryRecord>

/** What an asset's contract keeps for a contract. */
interface ContractBalance {
  /** C address of the asset's contract. */
  readonly asset: string
  /** C address. */
  readonly holder: string
  readonly amount: bigint
}

interface DataEntry {
  readonly owner: AccountId
  readonly sponsor: AccountId | undefined
}

export interface Book {
  readonly entries: Entries
  readonly accounts: readonly Account[]
  readonly trustlines: readonly Trustline[]
  readonly data: readonly DataEntry[]
  readonly contractBalances: readonly ContractBalance[]
}

export async function readBook(net: Localnet): Promise<Book> {
  const { entries } = await net.snapshot()
  return bookOf(new Map(entries))
}

export function bookOf(entries: Entries): Book {
  const book = {
    entries,
    accounts: [] as Account[],
    trustlines: [] as Trustline[],
    data: [] as DataEntry[],
    contractBalances: [] as ContractBalance[],
  }
  for (const { entry } of entries.values()) {
    const { data, ext } = xdr.LedgerEntry.fromXdr(entry)
    const payer = ext.type === 'v1' ? ext.v1.sponsoringId : null
    const sponsor = payer ? accountIdOf(payer) : undefined
    if (data.type === 'account') book.accounts.push(decodeAccount(entry))
    if (data.type === 'trustline') book.trustlines.push(decodeTrustline(entry))
    if (data.type === 'data') book.data.push({ owner: accountIdOf(data.data.accountId), sponsor })
    if (data.type === 'contractData') book.contractBalances.push(...balanceIn(data.contractData))
  }
  return book
}

function balanceIn({ contract, key, val }: xdr.ContractDataEntry): ContractBalance[] {
  if (key.type !== 'scvVec' || val.type !== 'scvMap') return []
  const [name, holder] = scValToNative(key)
  if (name !== 'Balance') return []
  const { amount } = scValToNative(val)
  return [{ asset: Address.fromScAddress(contract).toString(), holder, amount: BigInt(amount) }]
}

/** One ledger of a story: what was, what happened, what is. */
export interface Chapter {
  readonly before: Book
  readonly after: Book
  readonly ledger: ClosedLedger
  readonly previous: ClosedLedger
}

export const headerOf = ({ headerXdr }: ClosedLedger): xdr.LedgerHeader =>
  xdr.LedgerHeaderHistoryEntry.fromXdr(headerXdr).header

/** A law of the ledger. `start` looks at where a story begins; what it returns lists what each chapter breaks. */
export interface Rule {
  readonly says: string
  readonly start: (opening: Book) => (chapter: Chapter) => readonly string[]
}
