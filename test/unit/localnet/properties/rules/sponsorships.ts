/** The counts of an account equal its entries and those that it sponsors (CAP-33). */
import { type AccountId, addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import type { DecodedLedger, Rule } from '../decoded-ledger.ts'

export const sponsorships: Rule = {
  name: 'counts of entries and sponsorships equal the entries',
  start:
    () =>
    ({ after }) => {
      const counted = count(after)
      const known = after.accounts.flatMap((account) => {
        const { subEntries, sponsoring, sponsored } = countsOf(counted, account.id)
        counted.delete(account.id)
        const pairs = [
          ['subentries', account.subEntries, subEntries],
          ['sponsoring', account.sponsoring, sponsoring],
          ['sponsored', account.sponsored, sponsored],
        ] as const
        return pairs
          .filter(([, stated, is]) => stated !== is)
          .map(
            ([what, stated, is]) =>
              `${addressOf(account.id)} states ${stated} ${what}, there are ${is}`,
          )
      })
      const missing = [...counted.keys()].map(
        (id) => `${addressOf(id)} is missing, its entries are not`,
      )
      return [...known, ...missing]
    },
}

interface Counts {
  subEntries: number
  sponsoring: number
  sponsored: number
}

function countsOf(counted: Map<AccountId, Counts>, id: AccountId): Counts {
  const known = counted.get(id) ?? { subEntries: 0, sponsoring: 0, sponsored: 0 }
  counted.set(id, known)
  return known
}

function count({ accounts, trustlines, data }: DecodedLedger): Map<AccountId, Counts> {
  const counted = new Map<AccountId, Counts>()
  const pays = (owner: AccountId, sponsor: AccountId | undefined, reserves: number) => {
    if (!sponsor) return
    countsOf(counted, owner).sponsored += reserves
    countsOf(counted, sponsor).sponsoring += reserves
  }
  const subEntry = (owner: AccountId, sponsor: AccountId | undefined) => {
    countsOf(counted, owner).subEntries += 1
    pays(owner, sponsor, 1)
  }
  for (const account of accounts) {
    pays(account.id, account.sponsor, 2)
    for (const { sponsor } of account.signers) subEntry(account.id, sponsor)
  }
  for (const { account, sponsor } of trustlines) subEntry(account, sponsor)
  for (const { owner, sponsor } of data) subEntry(owner, sponsor)
  return counted
}
