import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ledgerReader } from '../../../../../src/demo/observe/ledger-reader.ts'
import { paymentIdentifierOf } from '../../../../../src/payments/protocol/payment-identifier.ts'
import { type Stack, startStack } from '../../../../support/stack.ts'
import { type Account, accountWithUsdc, reach } from '../../../../support/stock/stock-client.ts'
import type { Ran, Variables } from '../../admin-world.ts'
import { runHere } from '../../run-here.ts'
import { DEADLINE_MS, SignalledSvc } from '../../signalled-svc.ts'
import { type Manner, type OnceSeller, onceSeller } from './once-seller.ts'

/* `svc pay` pays once, whatever gets lost. The facilitator and the network are real; the seller loses answers. */

const PRICE = 100_000n
/** Two ledgers. */
const SHORT = 10

let stack: Stack
let buyer: Account
let payTo: string
let folder: string
let state: string
let spentBefore: bigint
let files = 0

beforeAll(async () => {
  stack = await startStack({ tls: true, closeEveryMs: 'on-send' })
  reach(stack.localnet)
  buyer = await accountWithUsdc(stack.localnet, 5n)
  payTo = (await accountWithUsdc(stack.localnet)).address
  folder = mkdtempSync(join(tmpdir(), 'svc-pay-once-'))
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  state = join(folder, String(files++))
  spentBefore = await balance()
})

const balance = () =>
  ledgerReader(stack.localnet.httpUrl, stack.localnet.network.passphrase).usdc(buyer.address)
const debits = async () => (spentBefore - (await balance())) / PRICE

const env = (): Variables => ({
  PATH: process.env['PATH'],
  BUYER_SECRET: buyer.secret,
  NODE_EXTRA_CA_CERTS: stack.localnet.caFile,
  XDG_STATE_HOME: state,
})
const args = (url: string) => ['pay', url, '--rpc', stack.localnet.rpcUrl, '--max', '0.01'] as const
const pay = (url: string, ...more: string[]): Promise<Ran> =>
  runHere(env(), ...args(url), '--json', ...more)
const file = () => join(state, 'svc', 'budget-testnet.sqlite')

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

const until = (fact: () => unknown) =>
  expect.poll(fact, { timeout: DEADLINE_MS, interval: 20 }).toBe(true)

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
    using killed = new SignalledSvc(env(), ...args(seller.url))
    await until(() => seller.settled === 1)
    killed.signal('SIGKILL')
    await killed.ended
    using first = new SignalledSvc(env(), ...args(seller.url))
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

test.each([['--json'], []])('an answer that nobody can read is no success %s', async (...more) => {
  await using seller = await onceSeller(stack, { payTo })
  seller.manner = 'waits'
  using paying = new SignalledSvc(env(), ...args(seller.url), ...more)
  await until(() => seller.settled === 1)
  paying.closeOutput()
  seller.answerLate()
  const ran = await paying.ended
  expect(ran.err).toMatch(/^svc pay: it is paid, and the answer could not be written: .*EPIPE/)
  expect(ran.code).toBe(2)
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
    const refused = await pay(seller.url, '--no-wait')
    expect(refused, refused.err).toMatchObject({
      code: 75,
      lines: [{ paid: null, error: 'payment_open' }],
    })
    expect(refused.err).toMatch(
      /can settle it until ledger \d+\.\nNothing more was signed\. Try again in \d+ s\./,
    )
    using waiting = new SignalledSvc(env(), ...args(seller.url))
    await until(() => waiting.err.includes('waiting for that ledger'))
    expect(seller.payments).toHaveLength(1)
    await expire()
    const ran = await waiting.ended
    expect(ran, ran.err).toMatchObject({ code: 0 })
    expect(ran.err).toContain('the ledger shows that it was not used')
    expect(new Set(seller.payments).size).toBe(2)
    expect(await debits()).toBe(1n)
  })

  test('ends a wait at a signal, and signs nothing', async () => {
    await using seller = await onceSeller(stack, { payTo, knowsIds: false })
    await lost(seller, 'keeps')
    using waiting = new SignalledSvc(env(), ...args(seller.url))
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
    const broken = join(folder, 'broken.sqlite')
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
    expect(await pay(seller.url, '--no-wait')).toMatchObject({ code: 75 })
    expect(seller.payments).toHaveLength(1)
    await expire()
    expect(await pay(seller.url)).toMatchObject({ code: 0 })
    expect(await debits()).toBe(1n)
  })
})
