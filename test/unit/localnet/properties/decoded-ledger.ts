/** All entries of a closed ledger, decoded once for every rule. */
import { Address, scValToNative, xdr } from '@stellar/stellar-sdk'
import type { ClosedLedger } from '../../../../src/localnet/closing/history.ts'
import { type Account, decodeAccount } from '../../../../src/localnet/ledger/account.ts'
import { type AccountId, accountIdOf } from '../../../../src/localnet/ledger/account-id.ts'
import type { EntryKey, EntryRecord } from '../../../../src/localnet/ledger/entry-record.ts'
import { decodeTrustline, type Trustline } from '../../../../src/localnet/ledger/trustline.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'

export type Entries = ReadonlyMap<EntryKey, EntryRecord>

/** A balance that the contract of an asset keeps for a contract. */
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

export interface DecodedLedger {
  readonly entries: Entries
  readonly accounts: readonly Account[]
  readonly trustlines: readonly Trustline[]
  readonly data: readonly DataEntry[]
  readonly contractBalances: readonly ContractBalance[]
}

export async function readLedger(net: Localnet): Promise<DecodedLedger> {
  const { entries } = await net.snapshot()
  return decodeLedger(new Map(entries))
}

function decodeLedger(entries: Entries): DecodedLedger {
  const decoded = {
    entries,
    accounts: [] as Account[],
    trustlines: [] as Trustline[],
    data: [] as DataEntry[],
    contractBalances: [] as ContractBalance[],
  }
  for (const { entry } of entries.values()) {
    const { data, ext } = xdr.LedgerEntry.fromXdr(entry)
    const sponsoringId = ext.type === 'v1' ? ext.v1.sponsoringId : null
    const sponsor = sponsoringId ? accountIdOf(sponsoringId) : undefined
    if (data.type === 'account') decoded.accounts.push(decodeAccount(entry))
    if (data.type === 'trustline') decoded.trustlines.push(decodeTrustline(entry))
    if (data.type === 'data')
      decoded.data.push({ owner: accountIdOf(data.data.accountId), sponsor })
    if (data.type === 'contractData') decoded.contractBalances.push(...balanceIn(data.contractData))
  }
  return decoded
}

function balanceIn({ contract, key, val }: xdr.ContractDataEntry): ContractBalance[] {
  if (key.type !== 'scvVec' || val.type !== 'scvMap') return []
  const [name, holder] = scValToNative(key)
  if (name !== 'Balance') return []
  const { amount } = scValToNative(val)
  return [{ asset: Address.fromScAddress(contract).toString(), holder, amount: BigInt(amount) }]
}

/** One closed ledger of a scenario, with the entries before and after it. */
export interface Transition {
  readonly before: DecodedLedger
  readonly after: DecodedLedger
  readonly ledger: ClosedLedger
  readonly previous: ClosedLedger
}

export const headerOf = ({ headerXdr }: ClosedLedger): xdr.LedgerHeader =>
  xdr.LedgerHeaderHistoryEntry.fromXdr(headerXdr).header

/** An invariant. `start` takes the initial ledger, and returns a check that lists the violations of a transition. */
export interface Rule {
  readonly name: string
  readonly start: (initial: DecodedLedger) => (transition: Transition) => readonly string[]
}
