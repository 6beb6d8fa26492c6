import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Budget } from '../../../../src/buying/budget/budget.ts'
import type { OpenPurchase } from '../../../../src/buying/budget/purchases.ts'
import { deliver } from '../../../../src/buying/pay/deliver.ts'
import type { PaidAnswer } from '../../../../src/buying/pay/pay.ts'
import { signed } from './signed-payment.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-purchases-'))
  file = join(folder, 'budget.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const clock = { now: () => Date.UTC(2026, 10, 1) }
/** As a process that shares the file; its end releases what it holds, as that of a process does. */
const open = () => new Budget({ file, limit: 100n, clock })
const call = { url: 'https://api.example/weather?day=1' }
const unknown = { outcome: 'unknown', transaction: null } as const

/** A payment that was sent by a process which has ended. */
function lost(units = 10n): bigint {
  using budget = open()
  const reserved = budget.reserve(units, call)
  reserved.signed(signed)
  reserved.sending('the payment')
  return reserved.id
}

/** The open purchase of the call, which this process holds then. */
function take(budget: Budget): OpenPurchase {
  const taken = budget.purchases.take(call)
  if (taken === undefined || taken === 'busy') throw new Error(`no purchase: ${taken}`)
  return taken
}

describe('a purchase', () => {
  test('whose process has ended is taken by the next call of the same method, URL and body', () => {
    const id = lost()
    using budget = open()
    for (const other of [
      { ...call, method: 'POST' },
      { ...call, body: '{}' },
      { url: 'https://api.example/weather?day=2' },
      { url: 'https://other.example/weather?day=1' },
    ]) {
      expect(budget.purchases.take(other)).toBeUndefined()
    }
    expect(budget.purchases.take(call)).toMatchObject({
      id,
      header: 'the payment',
      payment: signed,
    })
  })

  test('whose first process still waits is not for others', () => {
    using first = open()
    const reserved = first.reserve(10n, call)
    using second = open()
    expect(second.purchases.take(call)).toBeUndefined()
    reserved.signed(signed)
    expect(second.purchases.take(call)).toBeUndefined()
    reserved.answered(unknown, false)
    expect(second.purchases.take(call)).toMatchObject({ id: reserved.id, header: undefined })
  })

  test('is resumed by one process at a time', () => {
    const id = lost()
    using first = open()
    using second = open()
    const held = take(first)
    expect(held).toMatchObject({ id })
    expect(second.purchases.take(call)).toBe('busy')
    first.purchases.leave(held)
    expect(second.purchases.take(call)).toMatchObject({ id })
    expect(first.purchases.take(call)).toBe('busy')
    second.purchases.end(id)
    expect(first.purchases.take(call)).toBeUndefined()
  })

  test('that a call has left is not released by its late answer while another call resumes it', () => {
    using budget = open()
    const first = budget.reserve(10n, call)
    first.signed(signed)
    first.sending('the payment')
    budget.purchases.leave(first)
    const second = take(budget)
    using other = open()
    expect(other.purchases.take(call)).toBe('busy')

    first.answered(unknown, false)
    budget.purchases.leave(first)
    expect(other.purchases.take(call)).toBe('busy')

    budget.purchases.leave(second)
    expect(other.purchases.take(call)).toMatchObject({ id: first.id })
  })

  test.each([
    ['the same', 'https://api.example/weather?day=1'],
    ['a host in capitals', 'HTTPS://API.Example/weather?day=1'],
    ['the default port', 'https://api.example:443/weather?day=1'],
    ['dots', 'https://api.example/a/../weather?day=1'],
    ['a fragment', 'https://api.example/weather?day=1#top'],
    ['a method in small letters', 'https://api.example/weather?day=1', 'get'],
  ])('is found under %s', (_, url, method = 'GET') => {
    const id = lost()
    using budget = open()
    expect(budget.purchases.take({ url, method })).toMatchObject({ id })
  })

  test.each([
    ['its path in capitals', 'https://api.example/Weather?day=1'],
    ['another order of its query', 'https://api.example/weather?b=1&day=1'],
    ['an octet that is escaped without need', 'https://api.example/we%61ther?day=1'],
    ['a slash at the end', 'https://api.example/weather/?day=1'],
    ['plain http', 'http://api.example/weather?day=1'],
  ])('is not found under %s', (_, url) => {
    lost()
    using budget = open()
    expect(budget.purchases.take({ url })).toBeUndefined()
  })

  test.each([
    [
      'its answer',
      (budget: Budget, id: bigint) => budget.answered({ id, lock: undefined }, unknown, true),
    ],
    [
      'the expiry of its payment',
      (budget: Budget, id: bigint) => budget.resolve(id, { state: 'unused' }),
    ],
  ])('is over with %s, and its payment and its lock are gone', (_, end) => {
    const id = lost()
    using budget = open()
    end(budget, id)
    expect(budget.purchases.take(call)).toBeUndefined()
    expect(readdirSync(folder)).toEqual(['budget.sqlite'])
  })

  test('that was paid stays open until its answer is there', () => {
    const id = lost()
    using budget = open()
    budget.resolve(id, { state: 'moved', amount: 10n, transaction: 'a'.repeat(64), closedAtMs: 0 })
    expect(budget.purchases.take(call)).toMatchObject({ id, state: 'paid' })
  })

  test('whose end cannot be recorded still gives its answer, and is open for the next call', async () => {
    const id = lost()
    const budget = open()
    const held = take(budget)
    expect(held).toMatchObject({ id })
    // As a file that cannot be written.
    budget[Symbol.dispose]()
    const paid = { receipt: { outcome: 'settled', transaction: null } } as PaidAnswer
    const said: string[] = []
    const say = (sentence: string) => void said.push(sentence)
    expect(await deliver(held, paid, { budget, say })).toBe(paid)
    expect(said).toEqual([expect.stringContaining('its answer could not be recorded')])
    using next = open()
    expect(next.purchases.take(call)).toMatchObject({ id })
  })

  test('that no budget counts leaves nothing when it is over', () => {
    const id = lost(0n)
    using budget = open()
    expect(budget.state().spent).toBe(0n)
    budget.answered(take(budget), { outcome: 'settled', transaction: null }, true)
    expect(budget.payments(10)).toEqual([])
    expect(existsSync(`${file}-${id}.lock`)).toBe(false)
  })
})
