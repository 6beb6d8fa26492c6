/** A rule that cannot be broken proves nothing: each is shown a ledger with one thing wrong. */
import { Asset, Operation, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AppliedTransaction } from '../../../../src/localnet/history.ts'
import type { Account } from '../../../../src/localnet/ledger/account.ts'
import type { Trustline } from '../../../../src/localnet/ledger/trustline.ts'
import { build, bytesOf, idOf } from '../harness.ts'
import { metaOf } from './applied.ts'
import { type Book, type Chapter, type Rule, readBook } from './book.ts'
import { hashesOf, replay, rules } from './play.ts'
import { actor, asset, openTown, type Town } from './town.ts'

let town: Town
let chapter: Chapter

/** A payment of lumens, a mint and a new trustline, each in a transaction of its own. */
beforeAll(async () => {
  town = await openTown()
  const before = await readBook(town.net)
  const previous = town.net.latest
  const destination = actor(4).publicKey()
  const operations = [
    Operation.payment({ destination, amount: '5', asset: Asset.native() }),
    Operation.payment({ destination, amount: '5', asset: asset(1) }),
    Operation.changeTrust({ asset: asset(3) }),
  ]
  for (const [index, operation] of operations.entries()) {
    const source = actor([3, 0, 8][index] ?? 3)
    town.submit(bytesOf(build(town.net, { source, operations: [operation] })))
  }
  const ledger = await town.close()
  chapter = { before, previous, ledger, after: await readBook(town.net) }
})

/** The accounts of the books with one of them changed. */
const withAccount = (book: Book, change: (account: Account) => Partial<Account>): Book => {
  const richest = idOf(actor(3))
  const accounts = book.accounts.map((it) => (it.id === richest ? { ...it, ...change(it) } : it))
  return { ...book, accounts }
}

const withLine = (book: Book, change: (line: Trustline) => Partial<Trustline>): Book => ({
  ...book,
  trustlines: book.trustlines.map((it, index) => (index === 0 ? { ...it, ...change(it) } : it)),
})

const withTransactions = (
  { ledger, ...rest }: Chapter,
  change: (transaction: AppliedTransaction) => AppliedTransaction,
): Chapter => ({ ...rest, ledger: { ...ledger, transactions: ledger.transactions.map(change) } })

/** The meta of a transaction in which every account ends with a single stroop. */
function impoverished(transaction: AppliedTransaction): AppliedTransaction {
  const meta = metaOf(transaction)
  const operations = meta.operations.map(
    (operation) =>
      new xdr.OperationMetaV2({ ...operation, changes: operation.changes.map(withoutMoney) }),
  )
  const changed = xdr.TransactionMeta.v4(new xdr.TransactionMetaV4({ ...meta, operations }))
  return { ...transaction, resultMetaXdr: changed.toXdr() }
}

function withoutMoney(change: xdr.LedgerEntryChange): xdr.LedgerEntryChange {
  if (change.type !== 'ledgerEntryUpdated' || change.updated.data.type !== 'account') return change
  const { account } = change.updated.data
  const poor = new xdr.AccountEntry({ ...account, balance: 1n })
  return xdr.LedgerEntryChange.ledgerEntryUpdated(
    new xdr.LedgerEntry({ ...change.updated, data: xdr.LedgerEntryData.account(poor) }),
  )
}

const withoutAnEntry = (book: Book): Book => ({
  ...book,
  entries: new Map([...book.entries].slice(1)),
})

interface Row {
  readonly rule: string
  readonly when: string
  readonly wrong: (chapter: Chapter) => Chapter
}

const rows: readonly Row[] = [
  {
    rule: 'every asset is conserved',
    when: 'a stroop comes from nowhere',
    wrong: (it) => ({
      ...it,
      after: withAccount(it.after, ({ balance }) => ({ balance: balance + 1n })),
    }),
  },
  {
    rule: 'every asset is conserved',
    when: 'credit comes from nowhere',
    wrong: (it) => ({
      ...it,
      after: withLine(it.after, ({ balance }) => ({ balance: balance + 1n })),
    }),
  },
  {
    rule: 'events tell every change of a balance',
    when: 'a payment has no event',
    wrong: (it) => withTransactions(it, (tx) => ({ ...tx, contractEvents: [] })),
  },
  {
    rule: 'no operation takes an account below its reserve',
    when: 'an operation leaves a single stroop',
    wrong: (it) => withTransactions(it, impoverished),
  },
  {
    rule: 'no operation takes an account below its reserve',
    when: 'a balance is negative',
    wrong: (it) => ({ ...it, after: withAccount(it.after, () => ({ balance: -1n })) }),
  },
  {
    rule: 'no sequence number is used twice',
    when: 'a transaction is in a ledger twice',
    wrong: (it) => {
      const { transactions } = it.ledger
      return { ...it, ledger: { ...it.ledger, transactions: [...transactions, ...transactions] } }
    },
  },
  {
    rule: 'no sequence number is used twice',
    when: 'an account begins anew',
    wrong: (it) => ({ ...it, after: withAccount(it.after, () => ({ sequence: 1n })) }),
  },
  ...(['subEntries', 'sponsoring', 'sponsored'] as const).map((count) => ({
    rule: 'counts of entries and sponsorships equal the entries',
    when: `${count} is one too many`,
    wrong: (it: Chapter) => ({
      ...it,
      after: withAccount(it.after, (account) => ({ [count]: account[count] + 1 })),
    }),
  })),
  {
    rule: 'counts of entries and sponsorships equal the entries',
    when: 'an account goes and leaves its trustlines behind',
    wrong: (it) => {
      const accounts = it.after.accounts.filter(({ id }) => id !== idOf(actor(3)))
      return { ...it, after: { ...it.after, accounts } }
    },
  },
  {
    rule: 'trustlines stay within their limits',
    when: 'a balance is above its limit',
    wrong: (it) => ({
      ...it,
      after: withLine(it.after, ({ limit }) => ({ balance: limit + 1n })),
    }),
  },
  {
    rule: 'meta replayed over a ledger gives the next one',
    when: 'an entry vanishes without a word',
    wrong: (it) => ({ ...it, after: withoutAnEntry(it.after) }),
  },
  {
    rule: 'meta replayed over a ledger gives the next one',
    when: 'a state is not what was there',
    wrong: (it) => ({ ...it, before: withoutAnEntry(it.before) }),
  },
  {
    rule: 'meta replayed over a ledger gives the next one',
    when: 'a ledger follows another one than it says',
    wrong: (it) => ({ ...it, previous: { ...it.previous, hash: 'another' } }),
  },
]

const check = ({ start }: Rule, it: Chapter): readonly string[] => start(it.before)(it)

const named = (name: string): Rule => {
  const found = rules.find(({ says }) => says === name)
  if (!found) throw new RangeError(`no rule says ${name}`)
  return found
}

describe('the rules', () => {
  it('find nothing wrong with an honest ledger', () => {
    expect(chapter.ledger.transactions.map(({ successful }) => successful)).toEqual([
      ...[true, true, true],
    ])
    expect(rules.flatMap((rule) => check(rule, chapter))).toEqual([])
  })

  it('can all be broken', () => {
    expect(new Set(rows.map(({ rule }) => rule))).toEqual(new Set(rules.map(({ says }) => says)))
  })

  it.each(rows)('see that $when ($rule)', ({ rule, wrong }) => {
    expect(check(named(rule), wrong(chapter))).not.toEqual([])
  })
})

describe('a replay', () => {
  it('gives the same ledgers only from the same envelopes', async () => {
    expect(await replay(town)).toEqual(hashesOf(town))
    const page = town.pages.at(-1)
    if (!page || page.entered.length === 0) throw new Error('nothing was submitted')
    // Their order would not matter: nobody chooses in which they are applied.
    town.pages[town.pages.length - 1] = { ...page, entered: page.entered.slice(1) }
    const other = await replay(town)
    expect(other.slice(0, -1)).toEqual(hashesOf(town).slice(0, -1))
    expect(other.at(-1)).not.toBe(hashesOf(town).at(-1))
  })
})
