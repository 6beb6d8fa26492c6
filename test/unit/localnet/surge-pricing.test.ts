/** Full ledgers: which transactions are included, what they pay, which wait, and which are evicted. */
import type { Keypair, Transaction } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { SubmitResult } from '../../../src/localnet/closing/submit-result.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import {
  account,
  balance,
  build,
  bump,
  bytesOf,
  codes,
  feeCharged,
  fund,
  key,
  openNetwork,
  XLM,
} from './harness.ts'
import { transferCall } from './soroban-harness.ts'
import { pay } from './table/operations.ts'

const payers = Array.from({ length: 12 }, (_, index) => key(index + 1))
const [sponsor, bob] = [key(50), key(60)]

let net: Localnet

/** A capacity of three operations. */
beforeEach(async () => {
  net = openNetwork({ maxOperations: 3 }).net
  await fund(net, [...payers, sponsor, bob])
})

const person = (index: number): Keypair => {
  const found = payers[index]
  if (!found) throw new RangeError(`no account ${index}`)
  return found
}

/** Account `index` pays bob, and bids so many stroops for each operation. */
function payment(index: number, rate: number, operations = 1): Transaction {
  const all = Array.from({ length: operations }, () => pay(bob, '1'))
  return build(net, { source: person(index), operations: all, fee: String(rate) })
}

const send = (transaction: Parameters<typeof bytesOf>[0]): SubmitResult =>
  net.submit(bytesOf(transaction))

/** The accounts in the next ledger, and what they paid. */
async function closed(): Promise<Record<number, bigint>> {
  const { transactions } = await net.closeLedger()
  const paid = transactions.map(({ hash, resultXdr }): [number, bigint] => [
    sent.get(hash) ?? -1,
    feeCharged(resultXdr),
  ])
  return Object.fromEntries(paid)
}

const sent = new Map<string, number>()

function offer(index: number, rate: number, operations = 1): SubmitResult {
  const result = send(payment(index, rate, operations))
  sent.set(result.hash, index)
  return result
}

const answerOf = ({ status, resultXdr }: SubmitResult): string =>
  [status, ...(resultXdr ? [...codes(resultXdr), feeCharged(resultXdr)] : [])].join(' ')

describe('a ledger', () => {
  it.each<{ rule: string; bids: [rate: number, operations?: number][]; ledgers: object[] }>([
    {
      rule: 'takes the highest bids, and all pay the lowest of them',
      bids: [[150], [400], [200], [300]],
      ledgers: [{ 1: 200n, 2: 200n, 3: 200n }, { 0: 100n }],
    },
    {
      rule: 'costs the base fee where everything fits',
      bids: [[150], [400], [300]],
      ledgers: [{ 0: 100n, 1: 100n, 2: 100n }],
    },
    {
      rule: 'counts operations, and fills a gap with a lower bid',
      bids: [[500, 2], [400, 2], [110]],
      ledgers: [{ 0: 220n, 2: 110n }, { 1: 200n }],
    },
  ])('$rule', async ({ bids, ledgers }) => {
    for (const [index, bid] of bids.entries()) expect(offer(index, ...bid).status).toBe('PENDING')
    for (const ledger of ledgers) expect(await closed()).toEqual(ledger)
  })

  it('counts a fee bump as one operation more', async () => {
    sent.set(send(bump(sponsor, payment(0, 100), '500')).hash, 0)
    offer(1, 300)
    offer(2, 200)
    expect(await closed()).toEqual({ 0: 600n, 1: 300n })
  })

  it('never takes a transaction above its capacity, which is dropped after four ledgers', async () => {
    const { hash } = offer(0, 1_000, 4)
    for (let ledger = 0; ledger < 4; ledger++) expect(await closed()).toEqual({})
    expect(net.transaction(hash)).toBeUndefined()
    expect(account(net, person(0))).toMatchObject({ balance: 1_000n * XLM })
    expect(offer(0, 1_000, 4).status).toBe('TRY_AGAIN_LATER')
    expect(offer(0, 1_000).status).toBe('PENDING')
  })

  it('refuses a second transaction of an account while one waits', async () => {
    for (const index of [1, 2, 3]) offer(index, 500)
    offer(0, 100)
    await net.closeLedger()
    expect(send(payment(0, 900)).status).toBe('TRY_AGAIN_LATER')
    expect(await closed()).toEqual({ 0: 100n })
  })

  it('drops a transaction that expires while it waits', async () => {
    const soon = build(net, {
      source: person(0),
      operations: [pay(bob, '1')],
      conditions: (it) => it.setTimebounds(0, net.latest.closeTime + 10),
    })
    expect(send(soon).status).toBe('PENDING')
    for (const index of [1, 2, 3]) offer(index, 500)
    await net.closeLedger()
    expect(await closed()).toEqual({})
    expect(send(payment(0, 100)).status).toBe('PENDING')
  })
})

describe('a full queue', () => {
  beforeEach(() => {
    for (const [index, rate] of [300, 310, 320, 330, 340, 350].entries()) offer(index, rate)
  })

  it('evicts the lowest bid for a better one, and bans it', async () => {
    expect(offer(6, 301).status).toBe('PENDING')
    expect(offer(0, 300).status).toBe('TRY_AGAIN_LATER')
    expect(Object.keys(await closed())).toEqual(['3', '4', '5'])
    expect(Object.keys(await closed())).toEqual(['1', '2', '6'])
    expect(balance(net, person(0))).toBe(1_000n * XLM)
  })

  it.each<[rule: string, rate: number, operations: number, answer: string]>([
    ['names the sufficient fee', 300, 1, 'ERROR txInsufficientFee 301'],
    ['names the sufficient fee for more operations', 299, 2, 'ERROR txInsufficientFee 601'],
    ['refuses what is above the capacity of two ledgers', 900, 7, 'TRY_AGAIN_LATER'],
  ])('%s', (_, rate, operations, answer) => {
    expect(answerOf(offer(6, rate, operations))).toBe(answer)
  })

  it('keeps a refused transaction banned', () => {
    offer(6, 300)
    expect(offer(6, 300).status).toBe('TRY_AGAIN_LATER')
  })

  it('requires more than the evicted bid until a ledger closes', async () => {
    offer(6, 400, 3)
    // It evicted the three lowest bids; the highest of them is the minimum, even where capacity is left.
    expect(answerOf(offer(7, 320))).toBe('ERROR txInsufficientFee 321')
    await net.closeLedger()
    expect(offer(8, 100).status).toBe('PENDING')
  })
})

describe('the two kinds of transactions', () => {
  const call = async (source: Keypair): Promise<Transaction> => {
    const transfer = await transferCall(net, { from: source, to: bob, amount: 1n, source })
    return build(net, { source, call: transfer })
  }

  it('have separate capacities', async () => {
    for (const index of [0, 1, 2]) offer(index, 500)
    expect(send(await call(person(3))).status).toBe('PENDING')
    const { transactions } = await net.closeLedger()
    expect(transactions).toHaveLength(4)
  })

  it('cannot wait for one account', async () => {
    expect(send(await call(person(0))).status).toBe('PENDING')
    expect(send(payment(0, 900)).status).toBe('TRY_AGAIN_LATER')
    await net.closeLedger()
    expect(send(payment(0, 900)).status).toBe('PENDING')
  })

  it('cannot wait for a payer that has its own transaction', async () => {
    const bumped = bump(sponsor, await call(person(0)))
    expect(send(bumped).status).toBe('PENDING')
    const own = build(net, { source: sponsor, operations: [pay(bob, '1')] })
    expect(send(own).status).toBe('TRY_AGAIN_LATER')
    await net.closeLedger()
    expect(send(own).status).toBe('PENDING')
  })
})
