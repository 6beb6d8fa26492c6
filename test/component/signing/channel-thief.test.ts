/* What the theft of the channel secret costs: docs/signers.md and docs/threat-model.md state the figures. */
import { randomBytes } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { retireChannels } from '../../../src/payments/channels/retire/retire.ts'
import { sponsorsOf } from '../../../src/payments/channels/sponsor-keys.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { secretOfSeed } from '../../../src/stellar/accounts/signer.ts'
import { rpcClient } from '../../../src/stellar/rpc/rpc-client.ts'
import { type ChannelThief, channelThief } from '../../support/channel-thief.ts'
import { accountEntry, transactionsAfter, transfersOf, usdcOf } from '../../support/ledger-view.ts'
import { openWallet, type PaymentBody, payment, usdc, type Wallet } from '../../support/payments.ts'
import { accountOf } from '../../support/sponsors.ts'
import { unit } from '../../support/stack.ts'
import { draftUptoPayment, settleOf, uptoPayment } from '../../support/upto-payments.ts'
import { asAuthority, Outsider } from '../payments/schemes/upto/as-authority.ts'
import { openUptoWorld, type UptoWorld } from '../payments/schemes/upto/upto-world.ts'
import { rowOf, untilSent } from '../payments/store-view.ts'
import { configOf, openFolder, sponsor, startSidecar } from './sidecar-process.ts'

const network = 'stellar:testnet'
const CHANNELS = 4
/** Charged for a settlement that fails, at the lowest bid, in stroops: docs/signers.md states both. */
const WASTED_FEE = 19_414n
const WASTED_UPTO_FEE = 30_844n
const CEILING = 100_000n
const ACTUAL = 40_000n

const opened = new AsyncDisposableStack()
const channelSecret = secretOfSeed(randomBytes(32))
let world: UptoWorld
let thief: ChannelThief
let outsider: Outsider

beforeAll(async () => {
  const folder = opened.use(await openFolder())
  const socketPath = folder.path('signer.sock')
  opened.use(await startSidecar(folder, configOf(folder, { socketPath })))
  world = opened.use(
    await openUptoWorld({
      timings: { monitorMs: 100, validitySeconds: 40 },
      network: async (localnet) => {
        await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: 1_000n * unit })
        return {
          sponsorSecret: undefined,
          sponsorAddress: sponsor.address,
          sponsorSigner: { kind: 'http', endpoint: { socketPath } },
          channelSecret,
          channelCount: CHANNELS,
          signerTimeoutMs: 10_000,
        }
      },
    }),
  )
  const { localnet } = world.stack
  outsider = await Outsider.open(localnet)
  const own = outsider.key
  thief = channelThief(localnet.network, { channelSecret, own, channels: CHANNELS })
}, 120_000)
afterAll(() => opened.disposeAsync())

/** To some stroops, by which the rent differs from one ledger to another. */
const expectFee = (charged: bigint, fee: bigint) =>
  expect(Math.abs(Number(charged - fee))).toBeLessThanOrEqual(5)

const ledgers = () => world.stack.localnet.network
const sponsorHas = () => accountOf(ledgers(), sponsor.address) ?? { balance: -1n, sponsoring: -1 }
const holds = ({ address }: Wallet) => usdcOf(ledgers(), address) ?? -1n
const newPayer = () => openWallet(world.stack.localnet)
const pay = (payer: Wallet, amount = 9n) =>
  payment(world.stack.localnet, { payer, payTo: world.seller.address, amount })

/** Lets the thief change the settlement's channel in the ledger that includes both. Answers what `/settle` says. */
async function whileInFlight(body: PaymentBody, act: (channel: number) => Promise<unknown>) {
  const { stack } = world
  stack.hold(true)
  const settling = stack.post('/settle', body)
  await untilSent(stack, body)
  const account = (await rowOf(stack, body))?.recorded?.channel
  await act(
    Array.from({ length: CHANNELS }, (_, index) => index).findIndex(
      (index) => thief.channel(index) === account,
    ),
  )
  stack.hold(false)
  return (await settling).body
}

/**
 * Settles payments of one payer at once, and lets time pass for those that no ledger includes soon. Which succeeded; the payer has paid for
 * these alone.
 */
async function settleMany(count: number): Promise<readonly boolean[]> {
  const { stack } = world
  const payer = await newPayer()
  const held = holds(payer)
  const bodies = await Promise.all(Array.from({ length: count }, () => pay(payer, 1n)))
  let answered = 0
  const settling = bodies.map(async (body) => {
    const answer = await stack.post('/settle', body)
    answered += 1
    return Boolean(answer.body.success)
  })
  await expect.poll(() => answered, { timeout: 30_000 }).toBeGreaterThanOrEqual(count - 1)
  while (answered < count) {
    await stack.localnet.closeLedger()
    await systemClock.sleep(20)
  }
  const results = await Promise.all(settling)
  expect(held - holds(payer)).toBe(BigInt(results.filter(Boolean).length))
  return results
}

/** What the sponsor is charged for transactions that fail meanwhile. */
async function feesOfFailures(work: () => Promise<void>): Promise<bigint> {
  const since = ledgers().latest.sequence
  await work()
  return transactionsAfter(ledgers(), since)
    .filter(({ successful }) => !successful)
    .reduce((sum, { resultXdr }) => sum + xdr.TransactionResult.fromXdr(resultXdr).feeCharged, 0n)
}

/** The transfers of a payer's USDC since a ledger. */
const transfersFrom = ({ address }: Wallet, since: number) =>
  transactionsAfter(ledgers(), since)
    .filter(({ successful }) => successful)
    .flatMap(transfersOf)
    .filter(({ contract, from }) => contract === usdc && from === address)
    .map(({ to, amount }) => ({ to, amount }))

test('takes nothing from the sponsor: no key of the thief signs for it', async () => {
  const before = sponsorHas().balance
  await expect(thief.pay(sponsor.address, '1')).rejects.toThrow()
  expect(sponsorHas().balance).toBe(before)
})

describe('a thief who knows what buyers signed in the scheme upto', () => {
  const settles = (payer: Wallet, actual: bigint, nonce: Uint8Array, expirationLedger: number) =>
    draftUptoPayment(world.stack.localnet, world.service, {
      payer,
      payTo: world.seller.address,
      nonce,
      expirationLedger,
      call: { actual },
    }).then((draft) => outsider.send(asAuthority(draft, thief.authority)))

  test.each([
    { of: 'the whole ceiling', actual: CEILING },
    { of: 'nothing, so that the seller is not paid', actual: 0n },
  ])('settles $of once, to the seller alone, before the facilitator', async ({ actual }) => {
    const payer = await newPayer()
    const nonce = randomBytes(32)
    const since = ledgers().latest.sequence
    const expirationLedger = since + 30
    const plan = { payer, payTo: world.seller.address, nonce, expirationLedger }
    const body = await uptoPayment(world.stack.localnet, world.service, plan)
    const before = sponsorHas().balance
    expect(await settles(payer, actual, nonce, expirationLedger)).toMatchObject({
      successful: true,
    })
    const answer = await world.settle(settleOf(body, ACTUAL))
    expect(answer.errorReason).toBe('invalid_upto_stellar_payload_authorization_used')
    const made = actual > 0n ? [{ to: world.seller.address, amount: actual }] : []
    expect(transfersFrom(payer, since)).toEqual(made)
    expect(sponsorHas().balance).toBe(before)
  })

  test('settles while ours is in the ledger too: one of the two is made, ours at the fee of a failure', async () => {
    const payer = await newPayer()
    const nonce = randomBytes(32)
    const since = ledgers().latest.sequence
    const expirationLedger = since + 30
    const plan = { payer, payTo: world.seller.address, nonce, expirationLedger }
    const body = settleOf(await uptoPayment(world.stack.localnet, world.service, plan), ACTUAL)
    const before = sponsorHas().balance
    const answer = await whileInFlight(body, () => settles(payer, CEILING, nonce, expirationLedger))
    const made = transfersFrom(payer, since)
    const isOurs = made[0]?.amount === ACTUAL
    expect(made).toEqual([{ to: world.seller.address, amount: isOurs ? ACTUAL : CEILING }])
    // The answer may come before the ledger is read; it never claims what is not there.
    if (answer.success) expect(isOurs).toBe(true)
    const charged = before - sponsorHas().balance
    if (isOurs) expect(charged).toBeGreaterThan(WASTED_UPTO_FEE)
    else expectFee(charged, WASTED_UPTO_FEE)
  })
})

describe('a thief who changes a channel in the ledger of its settlement', () => {
  test.each([
    {
      how: 'raises its sequence number',
      act: (index: number) => thief.bump(index, sequenceOf(index) + 9n),
      freed: 0,
      why: /txBadSeq/,
      // All channels settle afterwards, this one included.
      isUsable: true,
    },
    {
      how: 'takes the weight of its key',
      act: (index: number) => thief.disable(index),
      freed: 0,
      why: /txBadAuth/,
    },
    { how: 'merges it', act: (index: number) => thief.merge(index), freed: 2, why: /txNoAccount/ },
  ])(
    'and $how has the payment fail, at the fee of a failure',
    async ({ act, freed, why, isUsable = false }) => {
      const payer = await newPayer()
      const [held, before] = [holds(payer), sponsorHas()]
      const answer = await whileInFlight(await pay(payer), act)
      expect(answer).toMatchObject({ success: false, errorMessage: expect.stringMatching(why) })
      const after = sponsorHas()
      expect(after.sponsoring).toBe(before.sponsoring - freed)
      expectFee(before.balance - after.balance, WASTED_FEE)
      expect(holds(payer)).toBe(held)
      if (!isUsable) return
      // The next settlement of the channel is refused without a fee, and expires. Then it has the ledger's number again.
      const charged = await feesOfFailures(async () => {
        expect((await settleMany(CHANNELS)).toSorted()).toEqual([false, true, true, true])
      })
      expect(charged).toBe(0n)
      expect(await settleMany(CHANNELS)).toEqual([true, true, true, true])
    },
  )
})

test('a thief who has disabled every channel stops payments, at no fee', async () => {
  for (let index = 0; index < CHANNELS; index++) await thief.disable(index).catch(() => undefined)
  const before = sponsorHas()
  expect(await settleMany(1)).toEqual([false])
  expect(sponsorHas()).toEqual(before)
})

test('a channel that the thief keeps is not merged: its reserve stays locked, and what can be merged is', async () => {
  const { stack } = world
  const before = sponsorHas()
  const rpc = rpcClient({ url: stack.localnet.httpUrl, allowHttp: true })
  const { keys } = sponsorsOf({ sponsorAddress: sponsor.address, channelSecret })
  const retiring = retireChannels({
    network,
    keys: { ...keys, signer: sponsor },
    count: CHANNELS,
    inclusionFee: asStroops(100n),
    rpc,
    store: stack.store,
    besideService: true,
    clock: systemClock,
    signal: AbortSignal.timeout(15_000),
    onProgress: () => undefined,
  })
  await expect(retiring).rejects.toThrow(/its own key cannot merge it any more/)
  const channels = Array.from({ length: CHANNELS }, (_, index) => thief.channel(index))
  const kept = (await rpc.accounts(channels)).size
  // Two entries each, and those of the authority, which goes last.
  const paidFor = (kept + 1) * 2
  expect(kept).toBeGreaterThan(0)
  expect(before.sponsoring).toBeGreaterThanOrEqual(paidFor)
  expect(sponsorHas().sponsoring).toBe(paidFor)
})

const sequenceOf = (index: number) => BigInt(accountEntry(ledgers(), thief.channel(index)).seqNum)
