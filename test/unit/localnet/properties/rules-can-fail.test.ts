/** Every rule finds a fault: each gets a ledger with one thing wrong. */
import { Asset, Operation, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AppliedTransaction } from '../../../../src/localnet/closing/history.ts'
import type { Account } from '../../../../src/localnet/ledger/account.ts'
import type { Trustline } from '../../../../src/localnet/ledger/trustline.ts'
import { build, bytesOf, idOf, metaOf } from '../harness.ts'
import { actor, asset } from './accounts.ts'
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

type Break = (transition: Transition) => Transition

const afterWith =
  (change: (account: Account) => Partial<Account>): Break =>
  (it) => ({ ...it, after: withAccount(it.after, change) })
const lineWith =
  (change: (line: Trustline) => Partial<Trustline>): Break =>
  (it) => ({ ...it, after: withLine(it.after, change) })
const oneMore = (count: 'subEntries' | 'sponsoring' | 'sponsored'): Break =>
  afterWith((account) => ({ [count]: account[count] + 1 }))

const applyTwice: Break = ({ ledger, ...rest }) => ({
  ...rest,
  ledger: { ...ledger, transactions: [...ledger.transactions, ...ledger.transactions] },
})
const removeAccount: Break = ({ after, ...rest }) => ({
  ...rest,
  after: { ...after, accounts: after.accounts.filter(({ id }) => id !== idOf(actor(3))) },
})

/** For every rule, faults that it finds. */
const faults: Readonly<Record<string, Readonly<Record<string, Break>>>> = {
  'every asset is conserved': {
    'an account has a stroop too many': afterWith(({ balance }) => ({ balance: balance + 1n })),
    'a trustline has a unit too many': lineWith(({ balance }) => ({ balance: balance + 1n })),
  },
  'events report every change of a balance': {
    'a payment has no event': (it) => withTransactions(it, (tx) => ({ ...tx, contractEvents: [] })),
  },
  'no operation takes an account below its reserve': {
    'an operation leaves a single stroop': (it) => withTransactions(it, withOneStroop),
    'a balance is negative': afterWith(() => ({ balance: -1n })),
  },
  'no sequence number is used twice': {
    'a transaction is in a ledger twice': applyTwice,
    'a sequence number falls to 1': afterWith(() => ({ sequence: 1n })),
  },
  'counts of entries and sponsorships equal the entries': {
    'subEntries is one too many': oneMore('subEntries'),
    'sponsoring is one too many': oneMore('sponsoring'),
    'sponsored is one too many': oneMore('sponsored'),
    'an account is missing and its trustlines are not': removeAccount,
  },
  'trustlines stay within their limits': {
    'a balance is above its limit': lineWith(({ limit }) => ({ balance: limit + 1n })),
  },
  'meta replayed over a ledger gives the next one': {
    'an entry is missing afterwards': (it) => ({ ...it, after: withoutAnEntry(it.after) }),
    'a state is not that of the entry before': (it) => ({
      ...it,
      before: withoutAnEntry(it.before),
    }),
    'fees have no changes': (it) =>
      withTransactions(it, (tx) => ({ ...tx, feeChangesXdr: new Uint8Array(4) })),
    'the previous hash is of another ledger': (it) => ({
      ...it,
      previous: { ...it.previous, hash: 'another' },
    }),
  },
}
const rows = Object.entries(faults).flatMap(([rule, breaks]) =>
  Object.entries(breaks).map(([when, wrong]) => ({ rule, when, wrong })),
)

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
    expect(new Set(Object.keys(faults))).toEqual(new Set(rules.map(({ name }) => name)))
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
