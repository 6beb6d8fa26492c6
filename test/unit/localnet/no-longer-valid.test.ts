/** Transactions that are valid at submission, and no longer when the ledger applies them. */
import { Memo } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { account, balance, build, bytesOf, codes, feeCharged, type Op } from './harness.ts'
import { bob, carol, dave } from './table/accounts.ts'
import { bumpTo, merge, options, pay, signer } from './table/operations.ts'
import {
  openStartingLedger,
  STARTING_BALANCE,
  type StartingLedger,
  succeed,
} from './table/starting-ledger.ts'

let ledger: StartingLedger

beforeAll(async () => {
  ledger = await openStartingLedger()
})

interface Sequel {
  readonly given?: readonly Op[]
  /** Operations of bob's transaction, which dave signs too and which applies before dave's payment. */
  readonly before: (sequence: bigint) => readonly Op[]
}

/** Both apply in one ledger, bob's first. Hashes decide the order: tries memos until it fits. */
async function applyAfter({ given, before }: Sequel) {
  const { net, start } = ledger
  for (let attempt = 0; attempt < 64; attempt++) {
    await net.restore(start)
    if (given) await succeed(net, { operations: given, source: dave })
    await net.closeLedger()
    const present = account(net, dave)
    if (!present) throw new Error('dave has no account')
    const operations = before(present.sequence)
    const bobs = build(net, { source: bob, operations, signers: [bob, dave] })
    const memo = Memo.id(attempt.toString())
    const daves = build(net, { source: dave, operations: [pay(carol, '1')], memo })
    for (const it of [bobs, daves]) expect(net.submit(bytesOf(it)).status).toBe('PENDING')
    const { transactions } = await net.closeLedger()
    const [first, second] = transactions
    if (!first || second?.hash !== Buffer.from(daves.hash()).toString('hex')) continue
    expect(first.successful).toBe(true)
    return { transaction: second, present }
  }
  throw new Error('no memo of 64 led to that order')
}

describe('a transaction that is no longer valid', () => {
  it.each<Sequel & { code: string; numbers: bigint }>([
    // It uses no number.
    { code: 'txBadSeq', before: (sequence) => [bumpTo(sequence + 7n, dave)], numbers: 7n },
    {
      code: 'txBadAuth',
      given: [signer(carol)],
      before: () => [options({ masterWeight: 0 }, dave)],
      numbers: 1n,
    },
    {
      code: 'txFailed opBadAuth',
      before: () => [options({ medThreshold: 2, highThreshold: 2 }, dave)],
      numbers: 1n,
    },
  ])('fails with $code, pays its fee, and leaves a number $numbers higher', async (row) => {
    const { transaction, present } = await applyAfter(row)
    expect([codes(transaction.resultXdr).join(' '), feeCharged(transaction.resultXdr)]).toEqual([
      ...[row.code, 100n],
    ])
    expect(account(ledger.net, dave)).toMatchObject({
      sequence: present.sequence + row.numbers,
      balance: present.balance - 100n,
    })
  })

  it('fails with txNO_ACCOUNT once its source has merged, after the fee was taken', async () => {
    const { transaction } = await applyAfter({ before: () => [merge(bob, dave)] })
    expect(codes(transaction.resultXdr)).toEqual(['txNoAccount'])
    expect(feeCharged(transaction.resultXdr)).toBe(100n)
    expect(account(ledger.net, dave)).toBeUndefined()
    expect(balance(ledger.net, bob)).toBe(2n * STARTING_BALANCE - 200n)
  })

  it('is dropped when it expires while it waits, and costs nothing', async () => {
    const { net, clock, start } = ledger
    await net.restore(start)
    const before = account(net, dave)
    const expiring = build(net, {
      source: dave,
      operations: [pay(carol, '1')],
      conditions: (it) => it.setTimebounds(0, net.latest.closeTime + 12),
    })
    expect(net.submit(bytesOf(expiring)).status).toBe('PENDING')
    // The close times of ledgers that closed at once are ahead of the clock.
    await clock.advance(200_000)
    expect((await net.closeLedger()).transactions).toEqual([])
    expect(account(net, dave)).toEqual(before)
  })
})
