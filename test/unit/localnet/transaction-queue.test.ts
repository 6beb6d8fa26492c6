/** Transactions that wait for the next ledger, and the results of submission. */
import type { Keypair, Transaction } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Localnet } from '../../../src/localnet/network.ts'
import {
  build,
  bump,
  bytesOf,
  codes,
  type Envelope,
  feeCharged,
  fund,
  key,
  openNetwork,
} from './harness.ts'
import { pay } from './table/operations.ts'

const [alice, bob, sponsor] = [1, 2, 3].map(key) as [Keypair, Keypair, Keypair]

let net: Localnet

beforeEach(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob, sponsor])
})

const of = (source: Keypair, amount = '1') => build(net, { source, operations: [pay(bob, amount)] })
const send = (transaction: Envelope) => net.submit(bytesOf(transaction))
const status = (transaction: Envelope) => send(transaction).status
const bumped = (inner: Transaction, rate: string) => bump(sponsor, inner, rate)

describe('the queue', () => {
  it('returns DUPLICATE for a transaction that waits', () => {
    const transaction = of(alice)
    expect([status(transaction), status(transaction)]).toEqual(['PENDING', 'DUPLICATE'])
  })

  it('returns DUPLICATE for a transaction that waits inside a fee bump', () => {
    const transaction = of(alice)
    const both = [bumped(transaction, '100'), transaction]
    expect(both.map(status)).toEqual(['PENDING', 'DUPLICATE'])
  })

  it('takes one transaction of an account per ledger', async () => {
    expect([status(of(alice)), status(of(alice, '2'))]).toEqual(['PENDING', 'TRY_AGAIN_LATER'])
    await net.closeLedger()
    expect(status(of(alice, '2'))).toBe('PENDING')
  })

  it('replaces a waiting transaction for ten times its rate', async () => {
    const transaction = of(alice)
    expect(status(transaction)).toBe('PENDING')
    const { resultXdr = new Uint8Array() } = send(bumped(transaction, '999'))
    expect(codes(resultXdr)).toEqual(['txInsufficientFee'])
    expect(feeCharged(resultXdr)).toBe(2_000n)
    const replacement = bumped(transaction, '1000')
    expect(status(replacement)).toBe('PENDING')
    const { transactions } = await net.closeLedger()
    expect(transactions.map(({ feeBump }) => feeBump)).toEqual([true])
  })

  it('rejects an applied transaction', async () => {
    const transaction = of(alice)
    status(transaction)
    await net.closeLedger()
    expect(status(transaction)).toBe('TRY_AGAIN_LATER')
    for (let ledger = 0; ledger < 10; ledger++) await net.closeLedger()
    expect(status(transaction)).toBe('ERROR')
  })

  it('adds the fees of all transactions of a payer', () => {
    const dear = (source: Keypair) => bumped(of(source), '3000000000')
    expect(status(dear(alice))).toBe('PENDING')
    const { resultXdr = new Uint8Array() } = send(dear(bob))
    expect(codes(resultXdr)).toEqual(['txInsufficientBalance'])
  })

  it('refuses bytes that are not an envelope', () => {
    expect(() => net.submit(Uint8Array.of(1, 2, 3))).toThrow()
  })

  it('takes new transactions while a ledger closes, and rejects those of the ledger', async () => {
    const [first, second] = [of(alice), of(bob)]
    status(first)
    const closing = net.closeLedger()
    await Promise.resolve()
    expect([status(first), status(second)]).toEqual(['DUPLICATE', 'PENDING'])
    expect((await closing).transactions).toHaveLength(1)
    expect((await net.closeLedger()).transactions).toHaveLength(1)
  })
})
