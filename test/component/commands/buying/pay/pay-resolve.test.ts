import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Budget } from '../../../../../src/buying/budget/budget.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { signed } from '../../../../unit/buying/budget/signed-payment.ts'
import { runHere, typedHere } from '../../run-here.ts'

let folder = ''
let file = ''
let unexplained = ''
let open = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-resolve-'))
  file = join(folder, 'svc', 'budget-testnet.sqlite')
  using budget = budgetOf()
  const [first, second] = [600_000n, 400_000n].map((units) => {
    const reserved = budget.reserve(units, { url: 'https://api.example' })
    reserved.signed({ ...signed, nonce: units })
    return reserved.id
  })
  budget.resolve(first ?? 0n, { state: 'unexplained', because: 'not_retained' })
  unexplained = String(first)
  open = String(second)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const budgetOf = () => new Budget({ file, limit: 1_000_000n, clock: systemClock })
const spent = () => {
  using budget = budgetOf()
  return budget.state().spent
}
const svc = (...args: string[]) => runHere({ XDG_STATE_HOME: folder }, 'pay', 'resolve', ...args)

describe('svc pay resolve', () => {
  test('lists what only the owner can end, also as JSON', async () => {
    const shown = await svc()
    expect(shown).toMatchObject({ code: 0, err: '' })
    expect(shown.out).toContain(`payment ${unexplained}\n`)
    expect(shown.out).toMatch(/unexplained: the RPC no longer has the ledgers/)
    expect(shown.out).toMatch(/valid +after ledger 100, through ledger 112/)
    const { payments } = JSON.parse((await svc('--json', '--budget-file', file)).out)
    expect(payments).toMatchObject([
      { id: unexplained, state: 'unexplained', because: 'not_retained', counted: '0.06' },
    ])
  })

  test.each([
    ['paid', 1_000_000n],
    ['unpaid', 400_000n],
  ])('ends one as %s', async (word, left) => {
    const ended = await svc(unexplained, '--as', word, '--json')
    expect(ended).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(ended.out).payments).toMatchObject([{ id: unexplained, state: word }])
    expect(spent()).toBe(left)
    expect((await svc()).out).toBe('No payment waits for its owner.\n')
  })

  test('asks at a terminal, and changes nothing without a yes', async () => {
    const args = ['pay', 'resolve', unexplained, '--as', 'unpaid']
    const no = await typedHere({ XDG_STATE_HOME: folder }, args, { types: 'no' })
    expect(no.code).toBe(3)
    expect(no.shown).toMatch(/becomes +unpaid/)
    expect(spent()).toBe(1_000_000n)
    const yes = await typedHere({ XDG_STATE_HOME: folder }, args, { types: 'yes' })
    expect(yes.code).toBe(0)
    expect(spent()).toBe(400_000n)
  })

  test.each([
    ['a payment that the ledger can still end', () => [open, '--as', 'unpaid']],
    ['a payment that does not exist', () => ['999', '--as', 'unpaid']],
    ['a file that is not there', () => [unexplained, '--as', 'paid', '--budget-file', 'none']],
  ])('refuses %s', async (_, args) => {
    expect((await svc(...args())).code).toBe(1)
    expect(spent()).toBe(1_000_000n)
  })

  test.each([
    ['without what was found', () => [unexplained]],
    ['with something else than an id', () => ['https://api.example', '--as', 'paid']],
    ['with another word', () => [unexplained, '--as', 'refused']],
  ])('is not understood %s', async (_, args) => {
    expect((await svc(...args())).code).toBe(64)
    expect(spent()).toBe(1_000_000n)
  })
})
