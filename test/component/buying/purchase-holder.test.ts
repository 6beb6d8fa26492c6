import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Budget } from '../../../src/buying/budget/budget.ts'
import { signed } from '../../unit/buying/budget/signed-payment.ts'

/* Two processes that share a budget file. */

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-holder-'))
  file = join(folder, 'budget.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const call = { url: 'https://api.example/weather?day=1' }
const unknown = { outcome: 'unknown', transaction: null } as const

/** What another process finds of the call. */
const takenElsewhere = (): string =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', programOf()], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

const budgetModule = new URL('../../../src/buying/budget/budget.ts', import.meta.url).href
const programOf = () => `
  import { Budget } from ${JSON.stringify(budgetModule)}
  using budget = new Budget({ file: ${JSON.stringify(file)}, limit: 100n, clock: Date })
  const taken = budget.purchases.take(${JSON.stringify(call)})
  process.stdout.write(taken === undefined ? 'none' : taken === 'busy' ? taken : 'taken')`

test('a purchase that a call has left is not released by its late answer while another call resumes it', () => {
  using budget = new Budget({ file, limit: 100n, clock: Date })
  const first = budget.reserve(10n, call)
  first.signed(signed)
  first.sending('the payment')
  budget.purchases.leave(first)
  const second = budget.purchases.take(call)
  if (second === undefined || second === 'busy') throw new Error(`no purchase: ${second}`)
  expect(takenElsewhere()).toBe('busy')

  first.answered(unknown, false)
  budget.purchases.leave(first)
  expect(takenElsewhere()).toBe('busy')

  budget.purchases.leave(second)
  expect(takenElsewhere()).toBe('taken')
})
