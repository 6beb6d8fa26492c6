import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Budget } from '../../../../../src/buying/budget/budget.ts'
import { resume } from '../../../../../src/buying/pay/resume.ts'
import { quote } from '../../../../../src/buying/quote/quote.ts'
import { sellerHttp } from '../../../../../src/buying/seller/seller-http.ts'
import { paymentIdentifierOf } from '../../../../../src/payments/protocol/payment-identifier.ts'
import { type Clock, systemClock } from '../../../../../src/platform/core/time/clock.ts'
import type { Stack } from '../../../../support/stack.ts'
import { SignalledSvc } from '../../signalled-svc.ts'
import { type Manner, type OnceSeller, onceSeller } from './once-seller.ts'
import { type OnceWorld, onceWorld, PRICE, until } from './once-world.ts'

/* `svc pay` pays once, whatever gets lost. The facilitator and the network are real; the seller loses answers. */

/** Two ledgers. */
const SHORT = 10

let world: OnceWorld
let stack: Stack
let payTo: string
beforeAll(async () => {
  world = await onceWorld()
  ;({ stack, payTo } = world)
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => world.begin())

const pay: OnceWorld['pay'] = (...words) => world.pay(...words)
const program = (url: string, ...more: readonly string[]) =>
  new SignalledSvc(world.env(), ...world.args(url), ...more)
const debits = () => world.debits()
const file = () => world.file()

/** Pays a seller of this manner, who then answers. */
async function lost(seller: OnceSeller, manner: Manner = 'loses'): Promise<void> {
  seller.manner = manner
  const ran = await pay(seller.url)
  expect(ran, ran.err).toMatchObject({ code: 2, lines: [{ paid: null, error: 'outcome_unknown' }] })
  seller.manner = 'answers'
}

/** Closes ledgers until a payment that was signed before has expired. */
async function expire(ledgers = SHORT / 5 + 2): Promise<void> {
  for (let n = 0; n < ledgers; n++) await stack.localnet.network.closeLedger()
}

const idOf = (header = '') =>
  paymentIdentifierOf(JSON.parse(Buffer.from(header, 'base64').toString()).extensions)

describe('a seller that knows identifiers of payments', () => {
  test('answers the same payment once more, when the answer was lost', async () => {
    await using seller = await onceSeller(stack, { payTo })
    await lost(seller)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    const again = await pay(seller.url)
    expect(again, again.err).toMatchObject({ code: 0, lines: [{ paid: true, body: 'sunny' }] })
    expect(again.err).toMatch(
      /^svc pay: an earlier payment of 0\.01 USDC for http:\S+, of \S+, has no answer yet: it is sent again, and not paid again\.\n$/,
    )
    const [first, second] = seller.payments
    expect(second).toBe(first)
    expect(await debits()).toBe(1n)

    // Now it is over, and a next call is another purchase.
    expect(await pay(seller.url)).toMatchObject({ code: 0, err: '' })
    expect(await debits()).toBe(2n)
    expect(idOf(first)).toMatchObject({
      kind: 'given',
      id: expect.stringMatching(/^pay_[0-9a-f-]{36}$/),
    })
    expect(idOf(seller.payments[2])).not.toEqual(idOf(first))
    using database = new DatabaseSync(file())
    expect(database.prepare('select * from spending').all()).toEqual([])
  })

  test('is paid once by a program that was killed and started again, and by two at once', async () => {
    await using seller = await onceSeller(stack, { payTo })
    seller.manner = 'waits'
    using killed = program(seller.url)
    await until(() => seller.settled === 1)
    killed.signal('SIGKILL')
    await killed.ended
    using first = program(seller.url)
    await until(() => seller.payments.length === 2)
    const second = await pay(seller.url)
    expect(second, second.err).toMatchObject({
      code: 75,
      lines: [{ paid: null, error: 'payment_open' }],
    })
    first.signal('SIGKILL')
    await first.ended
    seller.manner = 'answers'
    expect(await pay(seller.url)).toMatchObject({ code: 0, lines: [{ body: 'sunny' }] })
    expect(new Set(seller.payments).size).toBe(1)
    expect(seller.payments).toHaveLength(3)
    expect(await debits()).toBe(1n)
  })

  test('gets another payment once the first has expired unused', async () => {
    await using seller = await onceSeller(stack, { payTo, maxTimeoutSeconds: SHORT })
    await lost(seller, 'keeps')
    await expire()
    const ran = await pay(seller.url)
    expect(ran, ran.err).toMatchObject({ code: 0 })
    expect(ran.err).toContain('expired, and the ledger shows that it was not used')
    const [first, second] = seller.payments
    expect(idOf(second)).not.toEqual(idOf(first))
    expect(await debits()).toBe(1n)
  })

  test('that holds another payment under the id is told so, and gets no second one', async () => {
    await using seller = await onceSeller(stack, { payTo })
    seller.manner = 'conflicts'
    for (const _ of ['first', 'again']) {
      const ran = await pay(seller.url)
      expect(ran, ran.err).toMatchObject({
        code: 2,
        lines: [{ paid: null, error: 'identifier_conflict' }],
      })
    }
    expect(new Set(seller.payments).size).toBe(1)
    expect(await debits()).toBe(0n)
  })

  test('never gets the payment of another origin, method, path or body', async () => {
    await using seller = await onceSeller(stack, { payTo })
    await using other = await onceSeller(stack, { payTo })
    await lost(seller)
    await pay(other.url)
    await pay(`${seller.url}?day=2`)
    await pay(seller.url, '--data', '{}')
    expect(new Set([...seller.payments, ...other.payments]).size).toBe(4)
    expect(await debits()).toBe(4n)
  })

  test('is not sent again what costs more than may be paid now', async () => {
    await using seller = await onceSeller(stack, { payTo })
    await lost(seller)
    using database = new DatabaseSync(file())
    const { header } = database.prepare('select header from spending').get() as { header: string }
    const payment = JSON.parse(Buffer.from(header, 'base64').toString())
    payment.accepted.amount = '100001'
    const dear = Buffer.from(JSON.stringify(payment)).toString('base64')
    database.prepare('update spending set header = ?').run(dear)
    expect(await pay(seller.url)).toMatchObject({ code: 75, lines: [{ error: 'payment_open' }] })
    expect(seller.payments).toHaveLength(1)
  })
})

test('a seller that names no price while a payment is open ends nothing', async () => {
  await using seller = await onceSeller(stack, { payTo })
  seller.manner = 'fails'
  expect(await pay(seller.url)).toMatchObject({ code: 1, lines: [{ paid: false }] })
  await lost(seller)
  seller.manner = 'fails'
  const ran = await pay(seller.url)
  expect(ran, ran.err).toMatchObject({ code: 75, lines: [{ paid: null, error: 'payment_open' }] })
  expect(ran.err).toMatch(/svc pay status testnet_\d+_/)
  expect(ran.err).not.toContain('Nothing was paid')
  seller.manner = 'answers'
  expect(await pay(seller.url)).toMatchObject({ code: 0, lines: [{ body: 'sunny' }] })
  expect(await debits()).toBe(1n)
})

describe('a seller that knows none', () => {
  test('gets another payment when the ledger shows that the first has expired unused', async () => {
    await using seller = await onceSeller(stack, {
      payTo,
      knowsIds: false,
      maxTimeoutSeconds: SHORT,
    })
    await lost(seller, 'keeps')
    const refused = await pay(seller.url, '--wait', '0')
    expect(refused, refused.err).toMatchObject({
      code: 75,
      lines: [{ paid: null, error: 'payment_open' }],
    })
    expect(refused.err).toMatch(
      /can settle it until ledger \d+\.\nNothing more was signed\. Try again in \d+ s\./,
    )
    using waiting = program(seller.url)
    await until(() => waiting.err.includes('waiting for that ledger'))
    expect(seller.payments).toHaveLength(1)
    await expire()
    const ran = await waiting.ended
    expect(ran, ran.err).toMatchObject({ code: 0 })
    expect(ran.err).toContain('the ledger shows that it was not used')
    expect(new Set(seller.payments).size).toBe(2)
    expect(await debits()).toBe(1n)
  })

  test('waits for the named time, and keeps the payment open', async () => {
    await using seller = await onceSeller(stack, { payTo, knowsIds: false })
    await lost(seller, 'keeps')
    // No ledger closes.
    const ran = await pay(seller.url, '--wait', '1')
    expect(ran, ran.err).toMatchObject({ code: 75, lines: [{ paid: null, error: 'payment_open' }] })
    expect(ran.err).toMatch(
      /its outcome is still unknown after a wait of \d+ s\.\nNothing more was/,
    )
    expect(seller.payments).toHaveLength(1)
    expect(await pay(seller.url, '--wait', '0')).toMatchObject({ code: 75 })
  })

  test('waits no longer than the time left to the payment allows for', async () => {
    await using seller = await onceSeller(stack, { payTo, knowsIds: false })
    await lost(seller, 'keeps')
    let waitedMs = 0
    const clock: Clock = {
      now: () => systemClock.now() + waitedMs,
      sleep: async (ms) => {
        waitedMs += ms
      },
    }
    using budget = new Budget({ file: file(), limit: 0n, clock })
    await using http = sellerHttp()
    const quoted = await quote(http, { url: seller.url }, { network: 'stellar:testnet' })
    const options = { http, clock, budget, rpcUrl: stack.localnet.rpcUrl, say: () => undefined }
    const ended = resume(quoted, { maxAmount: PRICE }, options)
    await expect(ended).rejects.toMatchObject({
      code: 'payment_open',
      message: expect.stringMatching(/its outcome is still unknown after a wait of \d+ s$/),
    })
    // The payment is valid for 60 s.
    expect(waitedMs).toBeGreaterThan(60_000)
    expect(waitedMs).toBeLessThan(240_000)
    expect(budget.purchases.take(quoted.call)).toMatchObject({ state: 'signed' })
    expect(seller.payments).toHaveLength(1)
  })

  test('ends a wait at a signal, and signs nothing', async () => {
    await using seller = await onceSeller(stack, { payTo, knowsIds: false })
    await lost(seller, 'keeps')
    using waiting = program(seller.url)
    await until(() => waiting.err.includes('waiting for that ledger'))
    waiting.signal('SIGTERM')
    expect(await waiting.ended).toMatchObject({ code: 75 })
    expect(seller.payments).toHaveLength(1)
  })

  test.each(['before', 'after'])(
    'is not paid again %s the expiry of what it has taken',
    async (when) => {
      await using seller = await onceSeller(stack, {
        payTo,
        knowsIds: false,
        maxTimeoutSeconds: SHORT,
      })
      await lost(seller)
      if (when === 'after') await expire()
      const ran = await pay(seller.url)
      const transaction = stack.taken.at(-1)
      expect(ran, ran.err).toMatchObject({
        code: 2,
        lines: [{ paid: true, error: 'paid_without_answer', transaction }],
      })
      expect(transaction).toMatch(/^[0-9a-f]{64}$/)
      expect(seller.payments).toHaveLength(1)
      expect(await debits()).toBe(1n)
      // The buyer knows it now, and can buy once more.
      expect(await pay(seller.url)).toMatchObject({ code: 0 })
      expect(await debits()).toBe(2n)
    },
  )
})

describe('a budget file', () => {
  test('that is none keeps anything from being signed', async () => {
    await using seller = await onceSeller(stack, { payTo })
    const broken = join(world.folder, 'broken.sqlite')
    writeFileSync(broken, 'not a database, and longer than its header of sixteen bytes')
    const ran = await pay(seller.url, '--budget-file', broken)
    expect(ran, ran.err).toMatchObject({ code: 1, lines: [{ paid: false, error: 'not_recorded' }] })
    expect(seller.payments).toEqual([])
  })

  test('whose payment cannot be read leaves its end to the ledger', async () => {
    await using seller = await onceSeller(stack, { payTo, maxTimeoutSeconds: SHORT })
    await lost(seller, 'keeps')
    using database = new DatabaseSync(file())
    database.exec(`update spending set header = 'broken'`)
    expect(await pay(seller.url, '--wait', '0')).toMatchObject({ code: 75 })
    expect(seller.payments).toHaveLength(1)
    await expire()
    expect(await pay(seller.url)).toMatchObject({ code: 0 })
    expect(await debits()).toBe(1n)
  })
})
