import {
  Account,
  Asset,
  BASE_FEE,
  Keypair,
  Operation,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unlockedBalance } from '../../../../src/payments/channels/minimum-balance.ts'
import { rotate } from '../../../../src/payments/channels/rotation/rotate.ts'
import { decimalAmount } from '../../../../src/platform/core/amounts/decimal.ts'
import type { LumensMoved, LumensQuery, StellarRpc } from '../../../../src/stellar/rpc/rpc.ts'
import { accountEntry } from '../../../support/ledger-view.ts'
import {
  CHANNELS,
  expectRotated,
  newSponsor,
  openRotationWorld,
  type RotationWorld,
  type TestSponsor,
  XLM,
} from './rotation-world.ts'

let world: RotationWorld
beforeAll(async () => {
  world = await openRotationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** Somebody else who has the sponsor's seed. */
function thiefOf(victim: TestSponsor, loot: TestSponsor) {
  const sponsorKey = Keypair.fromSecret(victim.secret)
  const submit = async (operation: xdr.Operation) => {
    const { network: ledgers } = world.localnet
    const { seqNum } = accountEntry(ledgers, victim.address)
    const transaction = new TransactionBuilder(new Account(victim.address, seqNum.toString()), {
      fee: BASE_FEE,
      networkPassphrase: ledgers.passphrase,
    })
      .addOperation(operation)
      .setTimeout(60)
      .build()
    transaction.sign(sponsorKey)
    const { hash } = ledgers.submit(transaction.toEnvelope().toXdr())
    await ledgers.closeLedger()
    expect(ledgers.transaction(hash)?.successful).toBe(true)
  }
  const payment = (amount: bigint) =>
    Operation.payment({
      destination: loot.address,
      asset: Asset.native(),
      amount: decimalAmount(amount, 7),
    })
  return {
    spends: (amount: bigint) => submit(payment(amount)),
    /** Everything that the ledger lets it send. */
    takesAll: async () => {
      const account = (await world.rpc.accounts([victim.address])).get(victim.address)
      if (!account) throw new Error('the victim has no account')
      const amount = unlockedBalance(account) - BigInt(BASE_FEE)
      await submit(payment(amount))
      return amount
    },
  }
}

/** Calls once right before the first transaction is sent. */
function beforeFirstSend(rpc: StellarRpc, act: () => Promise<void>): StellarRpc {
  let hasActed = false
  return new Proxy(rpc, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (name !== 'send') return typeof member === 'function' ? member.bind(target) : member
      return async (...sent: Parameters<StellarRpc['send']>) => {
        if (!hasActed) {
          hasActed = true
          await act()
        }
        return target.send(...sent)
      }
    },
  })
}

test('in an emergency the XLM goes first, and no replica is waited for', {
  timeout: 240_000,
}, async () => {
  const [from, to] = await world.pair()
  const since = world.localnet.network.latest.sequence
  const before = await world.total(since, from, to)
  await world.serves('pod-a/1', from)
  const sentences: string[] = []
  const say = (sentence: string) => void sentences.push(sentence)
  const done = await rotate(world.options(from, to, { mode: 'emergency', say }))
  expect(sentences[0]).toMatch(/^sends 9\d\.\d+ XLM of the old sponsor to G\w+ first$/)
  expect(done).toMatchObject({ merged: CHANNELS, gone: 0, lost: 0n, left: undefined })
  await expectRotated(world, from, to)
  expect(await world.total(since, from, to)).toBe(before)
})

test('a sponsor that somebody else has emptied is merged at the cost of the new one', {
  timeout: 240_000,
}, async () => {
  const [from, to] = await world.pair()
  const loot = newSponsor()
  await world.localnet.pay({ address: loot.address, asset: 'XLM', amount: XLM })
  const since = world.localnet.network.latest.sequence
  const before = await world.total(since, from, to, loot)
  const thief = thiefOf(from, loot)
  let taken = 0n
  // Right before what was to save it is sent.
  const rpc = beforeFirstSend(world.rpc, async () => {
    taken = await thief.takesAll()
  })
  const done = await rotate(world.options(from, to, { mode: 'emergency', rpc }))
  expect(taken).toBeGreaterThan(90n * XLM)
  expect(done).toMatchObject({
    merged: CHANNELS,
    gone: 0,
    lost: taken + 100n,
    // What its account and its channels had locked, and not a stroop less.
    swept: BigInt(CHANNELS + 1) * XLM,
    fees: 0n,
    left: undefined,
  })
  await expectRotated(world, from, to)
  expect(await world.total(since, from, to, loot)).toBe(before)
})

test('what somebody sends to the old sponsor meanwhile hides nothing that was taken', {
  timeout: 240_000,
}, async () => {
  const [from, to] = await world.pair()
  const loot = newSponsor()
  await world.localnet.pay({ address: loot.address, asset: 'XLM', amount: XLM })
  const rpc = beforeFirstSend(world.rpc, async () => {
    await world.localnet.pay({ address: from.address, asset: 'XLM', amount: 70n * XLM })
    await thiefOf(from, loot).spends(30n * XLM)
  })
  const done = await rotate(world.options(from, to, { mode: 'emergency', rpc }))
  expect(done).toMatchObject({ received: 70n * XLM, lost: 30n * XLM + 100n, left: undefined })
})

test('an endpoint without events of classic operations is enough for the least that was lost', {
  timeout: 240_000,
}, async () => {
  const [from, to] = await world.pair()
  const loot = newSponsor()
  await world.localnet.pay({ address: loot.address, asset: 'XLM', amount: XLM })
  const without = new Proxy(world.rpc, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (name !== 'lumensMoved') return typeof member === 'function' ? member.bind(target) : member
      const none = new Map<string, bigint>()
      return async ({ throughLedger: latestLedger }: LumensQuery) =>
        ({ received: none, sent: none, fees: 0n, latestLedger }) satisfies LumensMoved
    },
  })
  const rpc = beforeFirstSend(without, () => thiefOf(from, loot).spends(40n * XLM))
  const done = await rotate(world.options(from, to, { mode: 'emergency', rpc }))
  expect(done).toMatchObject({ received: undefined, lost: 40n * XLM + 100n, left: undefined })
})

test('a new sponsor that cannot pay for its channels yet gets them from the old one', {
  timeout: 240_000,
}, async () => {
  const [from] = await world.pair()
  const poor = newSponsor()
  await world.localnet.pay({ address: poor.address, asset: 'XLM', amount: XLM })
  const done = await rotate(world.options(from, poor, { mode: 'emergency' }))
  expect(done).toMatchObject({ created: CHANNELS, merged: CHANNELS, lost: 0n })
  await expectRotated(world, from, poor)
})
