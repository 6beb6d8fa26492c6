/** Every rule finds a fault: each gets a ledger with one thing wrong. */
import { Asset, Operation, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AppliedTransaction } from '../../../../src/localnet/history.ts'
import type { Account } from '../../../../src/localnet/ledger/account.ts'
import type { Trustline } from '../../../../src/localnet/ledger/trustline.ts'
import { build, bytesOf, idOf } from '../harness.ts'
import { actor, asset } from './accounts.ts'
import { metaOf } from './applied.ts'
import { type DecodedLedger, type Rule, readLedger, type Transition } from './decoded-ledger.ts'
import { openRecordedNetwork, type RecordedNetwork } from './recorded-network.ts'
import { hashesOf, replay, rules } from './run-scenario.ts'

let network: RecordedNetwork
let transition: Transition

/** A payment of lumens, a mint and a new trustline, each in a transaction of its own. */
beforeAll(async () => {
  network = await openRecordedNetwork()
  const before = await readLedger(network.net)
  const previous = network.net.latest
  const destination = actor(4).publicKey()
  const operations = [
    Operation.payment({ destination, amount: '5', asset: Asset.native() }),
    Operation.payment({ destination, amount: '5', asset: asset(1) }),
    Operation.changeTrust({ asset: asset(3) }),
  ]
  for (const [index, operation] of operations.entries()) {
    const source = actor([3, 0, 8][index] ?? 3)
    network.submit(bytesOf(build(network.net, { source, operations: [operation] })))
  }
  const ledger = await network.close()
  transition = { before, previous, ledger, after: await readLedger(network.net) }
})

/** The ledger with one account changed. */
const withAccount = (
  decoded: DecodedLedger,
  change: (account: Account) => Partial<Account>,
): DecodedLedger => {
  const richest = idOf(actor(3))
  const accounts = decoded.accounts.map((it) => (it.id === richest ? { ...it, ...change(it) } : it))
  return { ...decoded, accounts }
}

const withLine = (
  decoded: DecodedLedger,
  change: (line: Trustline) => Partial<Trustline>,
): DecodedLedger => ({
  ...decoded,
  trustlines: decoded.trustlines.map((it, index) => (index === 0 ? { ...it, ...change(it) } : it)),
})

const withTransactions = (
  { ledger, ...rest }: Transition,
  change: (transaction: AppliedTransaction) => AppliedTransaction,
): Transition => ({ ...rest, ledger: { ...ledger, transactions: ledger.transactions.map(change) } })

/** The meta of a transaction that leaves every account with a single stroop. */
function withOneStroop(transaction: AppliedTransaction): AppliedTransaction {
  const meta = metaOf(transaction)
  const operations = meta.operations.map(
    (operation) =>
      new xdr.OperationMetaV2({ ...operation, changes: operation.changes.map(leavingOneStroop) }),
  )
  const changed = xdr.TransactionMeta.v4(new xdr.TransactionMetaV4({ ...meta, operations }))
  return { ...transaction, resultMetaXdr: changed.toXdr() }
}

function leavingOneStroop(change: xdr.LedgerEntryChange): xdr.LedgerEntryChange {
  if (change.type !== 'ledgerEntryUpdated' || change.updated.data.type !== 'account') return change
  const { account } = change.updated.data
  const poor = new xdr.AccountEntry({ ...account, balance: 1n })
  return xdr.LedgerEntryChange.ledgerEntryUpdated(
    new xdr.LedgerEntry({ ...change.updated, data: xdr.LedgerEntryData.account(poor) }),
  )
}

const withoutAnEntry = (decoded: DecodedLedger): DecodedLedger => ({
  ...decoded,
  entries: new Map([...decoded.entries].slice(1)),
})

interface Row {
  readonly rule: string
  readonly when: string
  readonly wrong: (transition: Transition) => Transition
}

const rows: readonly Row[] = [
  {
    rule: 'every asset is conserved',
    when: 'an account has a stroop too many',
    wrong: (it) => ({
      ...it,
      after: withAccount(it.after, ({ balance }) => ({ balance: balance + 1n })),
    }),
  },
  {
    rule: 'every asset is conserved',
    when: 'a trustline has a unit too many',
    wrong: (it) => ({
      ...it,
      after: withLine(it.after, ({ balance }) => ({ balance: balance + 1n })),
    }),
  },
  {
    rule: 'events report every change of a balance',
    when: 'a payment has no event',
    wrong: (it) => withTransactions(it, (tx) => ({ ...tx, contractEvents: [] })),
  },
  {
    rule: 'no operation takes an account below its reserve',
    when: 'an operation leaves a single stroop',
    wrong: (it) => withTransactions(it, withOneStroop),
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
    when: 'a sequence number falls to 1',
    wrong: (it) => ({ ...it, after: withAccount(it.after, () => ({ sequence: 1n })) }),
  },
  ...(['subEntries', 'sponsoring', 'sponsored'] as const).map((count) => ({
    rule: 'counts of entries and sponsorships equal the entries',
    when: `${count} is one too many`,
    wrong: (it: Transition) => ({
      ...it,
      after: withAccount(it.after, (account) => ({ [count]: account[count] + 1 })),
    }),
  })),
  {
    rule: 'counts of entries and sponsorships equal the entries',
    when: 'an account is missing and its trustlines are not',
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
    when: 'an entry is missing afterwards',
    wrong: (it) => ({ ...it, after: withoutAnEntry(it.after) }),
  },
  {
    rule: 'meta replayed over a ledger gives the next one',
    when: 'a state is not that of the entry before',
    wrong: (it) => ({ ...it, before: withoutAnEntry(it.before) }),
  },
  {
    rule: 'meta replayed over a ledger gives the next one',
    when: 'the previous hash is of another ledger',
    wrong: (it) => ({ ...it, previous: { ...it.previous, hash: 'another' } }),
  },
]

const check = ({ start }: Rule, it: Transition): readonly string[] => start(it.before)(it)

const named = (name: string): Rule => {
  const found = rules.find((rule) => rule.name === name)
  if (!found) throw new RangeError(`no rule has the name ${name}`)
  return found
}

describe('the rules', () => {
  it('find no violation in a correct ledger', () => {
    expect(transition.ledger.transactions.map(({ successful }) => successful)).toEqual([
      ...[true, true, true],
    ])
    expect(rules.flatMap((rule) => check(rule, transition))).toEqual([])
  })

  it('can all be broken', () => {
    expect(new Set(rows.map(({ rule }) => rule))).toEqual(new Set(rules.map(({ name }) => name)))
  })

  it.each(rows)('find that $when ($rule)', ({ rule, wrong }) => {
    expect(check(named(rule), wrong(transition))).not.toEqual([])
  })
})

describe('a replay', () => {
  it('gives the same ledgers only from the same envelopes', async () => {
    expect(await replay(network)).toEqual(hashesOf(network))
    const input = network.inputs.at(-1)
    if (!input || input.requests.length === 0) throw new Error('nothing was submitted')
    // Another order would not change the ledger: hashes decide in which order it applies them.
    network.inputs[network.inputs.length - 1] = { ...input, requests: input.requests.slice(1) }
    const other = await replay(network)
    expect(other.slice(0, -1)).toEqual(hashesOf(network).slice(0, -1))
    expect(other.at(-1)).not.toBe(hashesOf(network).at(-1))
  })
})
