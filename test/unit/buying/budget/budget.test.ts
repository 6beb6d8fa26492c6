import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  Budget,
  BudgetExceeded,
  LARGEST_BUDGET,
  NonceSignedBefore,
} from '../../../../src/buying/budget/budget.ts'
import { signed } from './signed-payment.ts'

let folder = ''
let file = ''
let now = Date.UTC(2026, 10, 1)
const clock = { now: () => now }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-budget-'))
  file = join(folder, 'deep', 'budget.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (limit: bigint) => new Budget({ file, limit, clock })
const url = 'https://api.example'
const UNUSED = { state: 'unused' } as const
const moved = (amount: bigint, closedAtMs = 0) =>
  ({ state: 'moved', amount, transaction: 'b'.repeat(64), closedAtMs }) as const

describe('a budget', () => {
  test('counts to the last base unit what is reserved, spent and released', () => {
    using budget = open(1_000_0001n)
    const first = budget.reserve(1_000_0000n, { url })
    expect(budget.state()).toMatchObject({ spent: 1_000_0000n, left: 1n })
    expect(() => budget.reserve(2n, { url })).toThrow(BudgetExceeded)
    budget.reserve(1n, { url })
    expect(budget.state().left).toBe(0n)
    expect(first.signed({ ...signed, scheme: 'upto' })).toBe(true)
    budget.resolve(first.id, moved(400_0000n))
    expect(budget.state()).toMatchObject({ spent: 400_0001n, left: 600_0000n })
    budget.reserve(600_0000n, { url }).release()
    expect(budget.state().left).toBe(600_0000n)
  })

  test('counts no more than was reserved, and gives nothing back for what was paid', () => {
    using budget = open(100n)
    const paid = budget.reserve(60n, { url })
    paid.signed(signed)
    paid.release()
    budget.resolve(paid.id, moved(60n))
    budget.resolve(paid.id, UNUSED)
    expect(budget.state().spent).toBe(60n)
    const other = budget.reserve(40n, { url })
    other.signed({ ...signed, nonce: 8n })
    budget.resolve(other.id, moved(900n))
    expect(budget.state().spent).toBe(100n)
  })

  test('counts a fixed price whole, whatever smaller transfer was taken for it', () => {
    using budget = open(100n)
    const paid = budget.reserve(60n, { url })
    paid.signed(signed)
    budget.resolve(paid.id, moved(1n))
    expect(budget.state().spent).toBe(60n)
  })

  test.each(['upto settled', 'exact settled', 'exact refused', 'exact unknown'] as const)(
    'counts the whole of a payment that its seller calls %s until the ledger shows less',
    (word) => {
      using budget = open(100n)
      const [scheme, outcome] = word.split(' ') as ['upto', 'settled']
      const cheated = budget.reserve(60n, { url })
      cheated.signed({ ...signed, scheme })
      cheated.answered({ outcome, transaction: null }, true)
      expect(budget.state().spent).toBe(60n)
      expect(budget.unresolved()).toMatchObject([
        { id: cheated.id, state: 'signed', outcome, payment: { ...signed, scheme } },
      ])
      budget.resolve(cheated.id, UNUSED)
      expect(budget.state().spent).toBe(0n)
      expect(budget.payments(10)).toMatchObject([{ state: 'unpaid', units: 0n, outcome }])
    },
  )

  test('gives back what was never signed after 5 minutes, and then lets nothing be sent', () => {
    using budget = open(100n)
    const slow = budget.reserve(100n, { url })
    now += 300_000 - 1
    expect(budget.state().left).toBe(0n)
    now += 1
    expect(slow.signed(signed)).toBe(false)
    expect(budget.state().left).toBe(100n)
    expect(budget.reserve(100n, { url }).signed(signed)).toBe(true)
  })

  test('counts a payment as long as it can fall into 24 hours, and longer when the clock is set back', () => {
    using budget = open(100n)
    const paid = budget.reserve(100n, { url })
    paid.signed(signed)
    budget.resolve(paid.id, moved(100n))
    // A seller may settle what it holds up to 15 minutes after it was signed.
    now += 25 * 3_600_000 - 1
    expect(budget.state().left).toBe(0n)
    now += 1
    expect(budget.state().left).toBe(100n)
    budget.reserve(100n, { url })
    now -= 3 * 86_400_000
    expect(budget.state().left).toBe(0n)
  })

  test('gives nothing back of what was signed but on the word of the ledger', () => {
    using budget = open(100n)
    const sent = budget.reserve(60n, { url })
    sent.signed(signed)
    sent.release()
    expect(budget.state().spent).toBe(60n)
    budget.resolve(sent.id, { state: 'open' })
    now += 30 * 86_400_000
    expect(budget.state().spent).toBe(60n)
    expect(budget.unresolved()).toMatchObject([{ id: sent.id }])
    budget.resolve(sent.id, UNUSED)
    expect(budget.state().spent).toBe(0n)
  })

  test('counts what the ledger took late from then on', () => {
    using budget = open(100n)
    const late = budget.reserve(60n, { url })
    late.signed(signed)
    now += 3 * 86_400_000
    budget.resolve(late.id, moved(60n, now - 3_600_000))
    expect(budget.state().spent).toBe(60n)
    now += 24 * 3_600_000
    expect(budget.state().spent).toBe(0n)
  })

  test('counts what a seller had called settled from the ledger that took it', () => {
    using budget = open(100n)
    const late = budget.reserve(60n, { url })
    late.signed(signed)
    late.answered({ outcome: 'settled', transaction: 'a'.repeat(64) }, true)
    expect(budget.payments(1)).toMatchObject([{ state: 'signed', outcome: 'settled' }])
    now += 2 * 3_600_000
    budget.resolve(late.id, moved(60n, now))
    now += 25 * 3_600_000 - 1
    expect(budget.state().spent).toBe(60n)
    expect(budget.payments(1)).toMatchObject([{ state: 'paid', transaction: 'b'.repeat(64) }])
    now += 1
    expect(budget.state().spent).toBe(0n)
  })

  test('counts for another 25 hours what a seller had called settled, when no endpoint has its ledgers any more', () => {
    using budget = open(100n)
    const [said, unsaid] = [budget.reserve(60n, { url }), budget.reserve(40n, { url })]
    for (const [n, each] of [said, unsaid].entries()) each.signed({ ...signed, nonce: BigInt(n) })
    said.answered({ outcome: 'settled', transaction: null }, true)
    now += 30 * 24 * 3_600_000
    for (const { id } of [said, unsaid]) {
      budget.resolve(id, { state: 'unexplained', because: 'not_retained' })
    }
    expect(budget.payments(2)).toMatchObject([{ state: 'unexplained' }, { state: 'paid' }])
    now += 25 * 3_600_000 - 1
    expect(budget.state().spent).toBe(100n)
    now += 1
    expect(budget.state().spent).toBe(40n)
  })

  test.each([
    ['paid', 60n],
    ['unpaid', 0n],
  ] as const)('counts what nothing explains until its owner calls it %s', (word, spent) => {
    using budget = open(100n)
    const lost = budget.reserve(60n, { url })
    lost.signed(signed)
    expect(budget.endByOwner(lost.id, 'unpaid')).toBe(false)
    budget.resolve(lost.id, { state: 'unexplained', because: 'not_retained' })
    expect(budget.state()).toMatchObject({ spent: 60n, unexplained: 60n, left: 40n })
    now += 24 * 3_600_000
    expect(budget.endable()).toMatchObject([{ id: lost.id, because: 'not_retained' }])
    expect(budget.endByOwner(lost.id, word)).toBe(true)
    expect(budget.state()).toMatchObject({ spent, unexplained: 0n })
    expect(budget.endByOwner(lost.id, 'unpaid')).toBe(false)
    expect(budget.payments(1)).toMatchObject([{ state: word, because: undefined }])
  })

  test('records no second payment of a payer and a nonce, whatever became of the first', () => {
    using budget = open(100n)
    using other = open(100n)
    const first = budget.reserve(10n, { url })
    first.signed(signed)
    const second = other.reserve(20n, { url })
    expect(() => second.signed({ ...signed, payTo: 'GANOTHER' })).toThrow(NonceSignedBefore)
    budget.resolve(first.id, UNUSED)
    expect(() => second.signed(signed)).toThrow(NonceSignedBefore)
    expect(budget.unresolved()).toEqual([])
    expect(second.signed({ ...signed, payer: 'GOTHERPAYER' })).toBe(true)
  })

  test('takes the proof of the ledger for what was unexplained', () => {
    using budget = open(100n)
    const lost = budget.reserve(60n, { url })
    lost.signed(signed)
    budget.resolve(lost.id, { state: 'unexplained', because: 'unknown_transfer' })
    budget.resolve(lost.id, UNUSED)
    expect(budget.state()).toMatchObject({ spent: 0n, unexplained: 0n })
  })

  test('lets its owner end a payment that no ledger ends', () => {
    using budget = open(100n)
    const stuck = budget.reserve(60n, { url })
    stuck.signed(signed)
    now += 25 * 3_600_000
    expect(budget.endByOwner(stuck.id, 'unpaid')).toBe(true)
    expect(budget.state().spent).toBe(0n)
  })

  test('is exact with the largest amounts', () => {
    using budget = open(LARGEST_BUDGET)
    budget.reserve(LARGEST_BUDGET - 1n, { url })
    expect(budget.state().left).toBe(1n)
    expect(() => budget.reserve(2n ** 127n, { url })).toThrow(BudgetExceeded)
    expect(() => open(LARGEST_BUDGET + 1n)).toThrow(RangeError)
  })

  test('is readable for its user only, and refuses a file of something else', () => {
    open(1n)[Symbol.dispose]()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const other = join(folder, 'notes.txt')
    writeFileSync(other, 'this is no database, and it is long enough to have a header'.repeat(20))
    expect(() => new Budget({ file: other, limit: 1n, clock })).toThrow(/not a database/)
    const old = join(folder, 'old.sqlite')
    using database = new DatabaseSync(old)
    database.exec('create table spending (id integer primary key, at integer, state text)')
    expect(() => new Budget({ file: old, limit: 1n, clock })).toThrow(/no such column/)
  })
})
