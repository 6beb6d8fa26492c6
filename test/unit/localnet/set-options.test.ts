/** Flags, thresholds and signers, and what they change for those who sign afterwards. */
import { createHash } from 'node:crypto'
import { type Keypair, Operation, type Transaction } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Localnet } from '../../../src/localnet/network.ts'
import { account, apply, build, codes, fund, key, openNetwork, outcome } from './harness.ts'
import { begin, end, merge, pay } from './operation-rows.ts'

const [alice, bob, carol] = [1, 2, 3].map(key) as [Keypair, Keypair, Keypair]
type Options = Parameters<typeof Operation.setOptions>[0]

let net: Localnet

beforeEach(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob, carol])
})

const set = (options: Options, signers = [alice]): Transaction =>
  build(net, { source: alice, operations: [Operation.setOptions(options)], signers })
const done = async (transaction: Transaction) =>
  expect(codes((await apply(net, transaction)).resultXdr)[0]).toBe('txSuccess')
const bySigner = (signer: Keypair, weight: number): Options => ({
  signer: { ed25519PublicKey: signer.publicKey(), weight },
})

describe('setOptions', () => {
  it.each<{ when: string; options: Options; answers: readonly string[] }>([
    {
      when: 'a flag is set and cleared',
      options: { setFlags: 1, clearFlags: 1 },
      answers: ['ERROR', 'txFailed', 'setOptionsBadFlags'],
    },
    {
      when: 'an account would sign for itself twice',
      options: bySigner(alice, 1),
      answers: ['ERROR', 'txFailed', 'setOptionsBadSigner'],
    },
    {
      when: 'clawback comes without revocation',
      options: { setFlags: 8 },
      answers: ['txFailed', 'setOptionsAuthRevocableRequired'],
    },
    {
      when: 'nobody is there to inherit inflation',
      options: { inflationDest: key(99).publicKey() },
      answers: ['txFailed', 'setOptionsInvalidInflation'],
    },
  ])('answers $answers when $when', async ({ options, answers }) => {
    expect(await outcome(net, set(options))).toEqual(answers)
  })

  it('cannot change what is immutable', async () => {
    await done(set({ setFlags: 4 }))
    expect(await outcome(net, set({ setFlags: 1 }))).toEqual(['txFailed', 'setOptionsCantChange'])
    const merging = build(net, { source: alice, operations: [merge(bob)] })
    expect(await outcome(net, merging)).toEqual(['txFailed', 'accountMergeImmutableSet'])
  })

  it('counts a signer as an entry until it is removed', async () => {
    await done(set(bySigner(bob, 1)))
    expect(account(net, alice)).toMatchObject({ subEntries: 1, signers: [{ weight: 1 }] })
    await done(set(bySigner(bob, 5)))
    expect(account(net, alice)).toMatchObject({ subEntries: 1, signers: [{ weight: 5 }] })
    await done(set(bySigner(bob, 0)))
    expect(account(net, alice)).toMatchObject({ subEntries: 0, signers: [] })
  })

  it('lets somebody else hold the reserve of a signer', async () => {
    const operations = [
      begin(alice),
      Operation.setOptions({ ...bySigner(carol, 1), source: alice.publicKey() }),
      end(alice),
    ]
    await done(build(net, { source: bob, operations, signers: [bob, alice], fee: '300' }))
    expect(account(net, alice)).toMatchObject({ subEntries: 1, sponsored: 1 })
    await done(build(net, { source: alice, operations: [merge(carol)] }))
    expect(account(net, bob)).toMatchObject({ sponsoring: 0 })
  })
})

describe('thresholds', () => {
  const payment = (signers: readonly Keypair[]) =>
    build(net, { source: alice, operations: [pay(bob.publicKey(), '1')], signers })

  beforeEach(async () => {
    await done(set(bySigner(bob, 1)))
    await done(set({ lowThreshold: 1, medThreshold: 2, highThreshold: 3 }))
  })

  it.each<{ who: string; signers: readonly Keypair[]; answers: readonly string[] }>([
    { who: 'one of two', signers: [alice], answers: ['ERROR', 'txFailed', 'opBadAuth'] },
    { who: 'both', signers: [alice, bob], answers: ['txSuccess', 'paymentSuccess'] },
    { who: 'a stranger too', signers: [alice, bob, carol], answers: ['ERROR', 'txBadAuthExtra'] },
    { who: 'a stranger alone', signers: [carol], answers: ['ERROR', 'txBadAuth'] },
  ])('answer $answers to a payment that $who signed', async ({ signers, answers }) => {
    expect(await outcome(net, payment(signers))).toEqual(answers)
  })

  it('ask more of those who would change them', async () => {
    expect(await outcome(net, set({ highThreshold: 1 }, [alice, bob]))).toEqual([
      'ERROR',
      'txFailed',
      'opBadAuth',
    ])
  })
})

describe('a transaction authorized by its hash', () => {
  it('needs no signature, and takes its signer with it', async () => {
    const later = build(net, {
      source: alice,
      operations: [pay(bob.publicKey(), '1')],
      signers: [],
      sequenceOffset: 1n,
    })
    await done(set({ signer: { preAuthTx: Buffer.from(later.hash()), weight: 1 } }))
    expect(account(net, alice)?.subEntries).toBe(1)
    await done(later)
    expect(account(net, alice)).toMatchObject({ subEntries: 0, signers: [] })
  })
})

describe('a secret behind a hash', () => {
  it('signs once it is told', async () => {
    const secret = Buffer.from('open sesame')
    const hash = createHash('sha256').update(secret).digest()
    await done(set({ signer: { sha256Hash: hash, weight: 1 } }))
    const opened = build(net, {
      source: alice,
      operations: [pay(bob.publicKey(), '1')],
      signers: [],
    })
    opened.signHashX(secret)
    await done(opened)
  })
})
