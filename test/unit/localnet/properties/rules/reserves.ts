/** No operation takes an account below its reserve; only fees may (CAP-33, CAP-5). */
import type { xdr } from '@stellar/stellar-sdk'
import { type Account, decodeAccount } from '../../../../../src/localnet/ledger/account.ts'
import { addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import { availableBalance } from '../../../../../src/localnet/ledger/reserves.ts'
import { metaOf } from '../../harness.ts'
import type { Rule } from '../decoded-ledger.ts'

export const reserves: Rule = {
  name: 'no operation takes an account below its reserve',
  start:
    () =>
    ({ after, ledger }) => [
      ...ledger.transactions.flatMap((transaction) =>
        metaOf(transaction).operations.flatMap(({ changes }) => belowReserve(changes)),
      ),
      ...after.accounts
        .filter(({ balance }) => balance < 0n)
        .map(({ id, balance }) => `${addressOf(id)} holds ${balance}`),
    ],
}

function belowReserve(changes: readonly xdr.LedgerEntryChange[]): string[] {
  const problems: string[] = []
  let before: Account | undefined
  for (const change of changes) {
    if (change.type === 'ledgerEntryState') {
      before = accountIn(change.state)
      continue
    }
    const now =
      change.type === 'ledgerEntryCreated' || change.type === 'ledgerEntryUpdated'
        ? accountIn(change.value)
        : undefined
    if (now && hasFallenBelow(now, before)) {
      problems.push(`${addressOf(now.id)} has ${availableBalance(now)} to spend`)
    }
    before = undefined
  }
  return problems
}

/** An account that is below its reserve may stay there, or rise. */
const hasFallenBelow = (now: Account, before: Account | undefined): boolean =>
  availableBalance(now) < 0n && (!before || availableBalance(now) < availableBalance(before))

const accountIn = (entry: xdr.LedgerEntry): Account | undefined =>
  entry.data.type === 'account' ? decodeAccount(entry.toXdr()) : undefined
