/** Transactions that were valid when they came, and no longer are when their turn comes in the ledger. */
import { Memo, Operation } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/history.ts'
import { account, balance, build, bytesOf, codes, feeCharged, type Op } from './harness.ts'
import { addressOf, bob, carol, dave, XLM } from './table/accounts.ts'
import { merge, options, pay } from './table/operations.ts'
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

interface Overtaking {
  readonly given?: readonly Op[]
  /** What Bob does, with Dave's signature, right before Dave's own payment comes up. */
  readonly before: (sequence: bigint) => readonly Op[]
}

interface Overtaken {
  readonly applied: AppliedTransaction
  /** Dave's number before the ledger. */
  readonly sequence: bigint
}

/** Both in one ledger, Bob's first: the order follows from hashes, so memos are tried until it fits. */
async function overtake({ given, before }: Overtaking): Promise<Overtaken> {
  const { net, start } = ledger
  for (let attempt = 0; attempt < 64; attempt++) {
    await net.restore(start)
    if (given) await succeed(net, { operations: given, source: dave })
    await net.closeLedger()
    const sequence = account(net, dave)?.sequence ?? 0n
    const bobs = build(net, { source: bob, operations: before(sequence), signers: [bob, dave] })
    const memo = Memo.id(attempt.toString())
    const daves = build(net, { source: dave, operations: [pay(carol, '1', XLM)], memo })
    for (const it of [bobs, daves]) expect(net.submit(bytesOf(it)).status).toBe('PENDING')
    const { transactions } = await net.closeLedger()
    const [first, second] = transactions
    if (!first || second?.hash !== Buffer.from(daves.hash()).toString('hex')) continue
    expect(first.successful).toBe(true)
    return { applied: second, sequence }
  }
  throw new Error('no memo put them into that order')
}

const told = ({ applied: { resultXdr } }: Overtaken) => [...codes(resultXdr), feeCharged(resultXdr)]
const sequenceNow = () => account(ledger.net, dave)?.sequence

describe('a transaction that is overtaken in its ledger', () => {
  it('fails with txBAD_SEQ, pays, and uses no number', async () => {
    const overtaken = await overtake({
      before: (sequence) => [
        Operation.bumpSequence({ bumpTo: `${sequence + 7n}`, source: addressOf(dave) }),
      ],
    })
    expect(told(overtaken)).toEqual(['txBadSeq', 100n])
    expect(sequenceNow()).toBe(overtaken.sequence + 7n)
    expect(balance(ledger.net, dave)).toBe(STARTING_BALANCE - 100n)
  })

  it('fails with txBAD_AUTH, pays, and uses its number', async () => {
    const overtaken = await overtake({
      given: [options({ signer: { ed25519PublicKey: addressOf(carol), weight: 1 } })],
      before: () => [options({ masterWeight: 0 }, dave)],
    })
    expect(told(overtaken)).toEqual(['txBadAuth', 100n])
    expect(sequenceNow()).toBe(overtaken.sequence + 1n)
  })

  it('fails with opBAD_AUTH, pays, and uses its number', async () => {
    const overtaken = await overtake({
      before: () => [options({ medThreshold: 2, highThreshold: 2 }, dave)],
    })
    expect(told(overtaken)).toEqual(['txFailed', 'opBadAuth', 100n])
    expect(sequenceNow()).toBe(overtaken.sequence + 1n)
  })

  it('fails with txNO_ACCOUNT once its source has merged, out of which it has paid', async () => {
    const overtaken = await overtake({ before: () => [merge(bob, dave)] })
    expect(told(overtaken)).toEqual(['txNoAccount', 100n])
    expect(account(ledger.net, dave)).toBeUndefined()
    expect(balance(ledger.net, bob)).toBe(2n * STARTING_BALANCE - 200n)
  })
})
