import { join } from 'node:path'
import { Asset, Keypair, Operation } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Budget } from '../../../../src/buying/budget/budget.ts'
import { OpenPayments } from '../../../../src/buying/budget/open-payments.ts'
import { USDC_ISSUER } from '../../../../src/localnet/genesis/genesis-assets.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { unit } from '../../../support/stack.ts'
import { accountWithUsdc } from '../../../support/stock/stock-client.ts'
import { submitAs } from '../../../support/submit-as.ts'
import { signed } from '../../../unit/buying/budget/signed-payment.ts'
import { schemes } from './held.ts'
import { type Deal, deals, type LyingWorld, openLyingWorld, playRound } from './lying-round.ts'
import { lies } from './lying-sellers.ts'
import { takes } from './takes.ts'

/* A sample of lying-sellers.long.test.ts. */

let world: LyingWorld
beforeAll(async () => {
  world = await openLyingWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** The first of the table. */
const dealWith = (members: object): Deal =>
  deals.find((deal) =>
    Object.entries(members).every(([name, value]) => Object(deal)[name] === value),
  ) as Deal

describe('sellers who lie', () => {
  test('are paid no more than the budget counts, however they take it', async () => {
    // Each way to take it once, and each lie about a price of each kind.
    const sample = schemes.flatMap((scheme) =>
      takes[scheme].map((take, n) => dealWith({ scheme, take, lie: lies[n % lies.length] })),
    )
    const { above, signed, unsigned, taken } = await playRound(world, {
      deals: sample,
      allowed: sample.length,
    })
    expect({ above, signed, unsigned }).toEqual({ above: 0n, signed: sample.length, unsigned: [] })
    const ways = sample.filter(({ take }) => take !== 'nothing')
    expect([...taken.keys()].sort()).toEqual(
      ways.map(({ scheme, take }) => `${scheme}: ${take}`).sort(),
    )
  })

  test('get no signature above the budget', async () => {
    // The ledger frees what they leave of a metered price.
    const fixed = deals.filter(({ scheme }) => scheme === 'exact')
    const { above, signed, calls } = await playRound(world, { deals: fixed, allowed: 5 })
    expect({ above, signed, calls }).toEqual({ above: 0n, signed: 5, calls: fixed.length })
  })

  test('leave what the RPC has forgotten counted, until its owner ends it', async () => {
    const sample = deals.filter((_, n) => n % 17 === 3)
    const allowed = sample.length
    const { above, signed, unsigned } = await playRound(world, {
      ...{ deals: sample, allowed, forgets: true },
    })
    expect({ above, signed, unsigned }).toEqual({ above: 0n, signed: sample.length, unsigned: [] })
  })
})

describe('payments of which nothing is known', () => {
  /** Each takes a tenth of the budget. */
  const openBudget = () => {
    const file = join(world.folder, `${crypto.randomUUID()}.sqlite`)
    const budget = new Budget({ file, limit: 100n, clock: systemClock })
    const sign = (changes: object) => {
      const reserved = budget.reserve(10n, { url: 'https://api.example' })
      reserved.signed({ ...signed, payer: Keypair.random().publicKey(), ...changes })
    }
    const open = new OpenPayments({ budget, rpcUrl: world.localnet.rpcUrl })
    return { budget, sign, open }
  }
  const states = (budget: Budget) => budget.payments(10).map(({ state }) => state)

  test('are given back when they expire, though an older one cannot be read', async () => {
    const { budget, sign, open } = openBudget()
    const { sequence } = await world.ledgers.closeLedger()
    const ledgers = { afterLedger: sequence - 2, lastLedger: sequence - 1 }
    sign({ ...ledgers, payer: 'GPAYER' })
    for (let n = 0; n < 9; n++) sign(ledgers)
    expect(await open.resolve()).toBe(false)
    expect(states(budget)).toEqual([...Array(9).fill('unpaid'), 'signed'])
    await open[Symbol.asyncDispose]()
    budget[Symbol.dispose]()
  })

  test('are looked up together', async () => {
    const { budget, sign, open } = openBudget()
    const { ledgers, localnet } = world
    const payer = await accountWithUsdc(localnet)
    await localnet.pay({ address: payer.address, asset: 'XLM', amount: 10n * unit })
    const { sequence } = ledgers.latest
    const destination = Keypair.fromSecret(payer.secret).publicKey()
    const payment = Operation.payment({
      destination,
      asset: new Asset('USDC', USDC_ISSUER),
      amount: '0.1',
    })
    for (let n = 0; n < 3; n++) await submitAs(ledgers, payer.secret, payment)
    for (let n = 0; n < 5; n++) {
      sign({
        payer: payer.address,
        nonce: BigInt(n),
        afterLedger: sequence,
        lastLedger: sequence + 3,
      })
    }
    await ledgers.closeLedger()
    using asked = vi.spyOn(ledgers, 'transaction')
    expect(await open.resolve()).toBe(true)
    expect(states(budget)).toEqual(Array(5).fill('unpaid'))
    // Once for the ledgers that there are, and for each payment of the wallet. One by one it was 20 times.
    expect(asked).toHaveBeenCalledTimes(4)
    await open[Symbol.asyncDispose]()
    budget[Symbol.dispose]()
  })

  test('are given back while nobody asks', async () => {
    const { budget, sign, open } = openBudget()
    const clock = new FakeClock()
    const { sequence } = await world.ledgers.closeLedger()
    sign({ afterLedger: sequence, lastLedger: sequence + 1 })
    open.follow(clock)
    await vi.waitFor(() => expect(clock.sleeping).toBe(1), 120_000)
    expect(states(budget)).toEqual(['signed'])
    while (world.ledgers.latest.sequence < sequence + 2) await world.ledgers.closeLedger()
    await clock.advance(600_000)
    await vi.waitFor(() => expect(states(budget)).toEqual(['unpaid']), 120_000)
    await open[Symbol.asyncDispose]()
    budget[Symbol.dispose]()
  })
})
