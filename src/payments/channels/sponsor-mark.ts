/**
 * The mark of a sponsor: a data entry of its account that names the store whose operator manages its channels. Pools of two databases
 * cannot see each other, but both see the ledger. The first creation of channels sets it, the last merge removes it.
 */
import { accountKey, readAccount } from '../../stellar/accounts/account-entries.ts'
import { dataEntryKey, readDataEntry } from '../../stellar/accounts/data-entry.ts'
import type { AccountState, StellarRpc } from '../../stellar/rpc/rpc.ts'
import type { DataChange } from '../../stellar/transactions/channel-envelopes.ts'

/** The name of the data entry. */
const MARK_NAME = 'x402.svc.dev/store'

export interface MarkChange extends DataChange {
  /** The mark that the ledger must have, or the change is not made; undefined for none. */
  readonly replaces?: string | undefined
}

/** The change that names a store in place of the mark that was read. */
export const markOf = (storeId: string, replaces: string | undefined): MarkChange => ({
  name: MARK_NAME,
  value: storeId,
  replaces,
})
/** The change that removes the mark. */
export const noMark: MarkChange = { name: MARK_NAME, value: undefined }

export interface MarkedAccounts {
  /** The accounts that exist, by address. */
  readonly accounts: ReadonlyMap<string, AccountState>
  /** The id of the store that manages the sponsor's channels; undefined when no store does. */
  readonly mark: string | undefined
  /** The latest ledger when they were read. */
  readonly ledger: number
}

/** Reads the sponsor, its mark and other accounts, the first two as of one ledger. Throws `RpcError`. */
export async function readWithMark(
  rpc: Pick<StellarRpc, 'ledgerEntries'>,
  sponsor: string,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<MarkedAccounts> {
  const markKey = dataEntryKey(sponsor, MARK_NAME)
  const keys = [accountKey(sponsor), markKey, ...addresses.map(accountKey)]
  const { entries, latestLedger } = await rpc.ledgerEntries(keys, signal)
  const states = entries.flatMap(({ xdr }) => readAccount(xdr) ?? [])
  const mark = entries.find(({ key }) => key === markKey)
  return {
    accounts: new Map(states.map((state) => [state.address, state])),
    mark: mark && readDataEntry(mark.xdr),
    ledger: latestLedger,
  }
}

/** Says whose the channels are, and where else to look: the database of either store has its id. `own` is undefined without a database. */
export const markedByAnother = (
  sponsor: string,
  { mark, own }: { readonly mark: string; readonly own: string | undefined },
): string =>
  `the ledger says that store ${mark} manages the channels of sponsor ${sponsor}, and ` +
  (own === undefined ? 'no database is set' : `this database is store ${own}`)
