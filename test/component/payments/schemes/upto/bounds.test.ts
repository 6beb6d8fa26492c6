/** The bounds of an amount and of an expiry, one unit and one ledger to each side. */
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { rewrite } from '../../../../support/ledger-surgery.ts'
import {
  contractBalanceKey,
  eventsOf,
  transactionsAfter,
  usdcOf,
} from '../../../../support/ledger-view.ts'
import { i128, openWallet, type PaymentBody, type Wallet } from '../../../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../../../support/rpc-proxy.ts'
import { settleOf } from '../../../../support/upto-payments.ts'
import { leasedChannels } from '../../store-view.ts'
import { asAuthority, Outsider } from './as-authority.ts'
import {
  countSettlements,
  latest,
  openUptoWorld,
  rowOf,
  type UptoWorld,
  untilState,
} from './upto-world.ts'

let proxy: RpcProxy
let world: UptoWorld
beforeAll(async () => {
  proxy = await startRpcProxy()
  world = await openUptoWorld({
    rpcThrough: proxy.forwardTo,
    network: { channelCount: 1 },
    timings: { rebroadcastMs: 200, channelWaitMs: 60_000, confirmWindowMs: 60_000 },
  })
})
beforeEach(() => proxy.heal())
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
})

const MAX = 2n ** 127n - 1n
const MIN = -(2n ** 127n)
const R = 'invalid_exact_stellar_requirements_'
const U = 'invalid_upto_stellar_payload_'

/** Nothing in the store, nothing on the ledger. */
async function expectRefused(body: PaymentBody, errorReason: string): Promise<void> {
  const ledger = latest(world)
  const rows = await countSettlements(world.stack)
  expect(await world.settle(body)).toMatchObject({ success: false, errorReason, transaction: '' })
  await world.stack.localnet.closeLedger()
  expect(transactionsAfter(world.stack.localnet.network, ledger)).toEqual([])
  expect(await countSettlements(world.stack)).toBe(rows)
}

/** Expects that the payment moves the amount, and that contract and answer say so. */
async function expectSettled(body: PaymentBody, amount: bigint, ceiling: bigint): Promise<void> {
  const { payTo } = body.paymentRequirements
  const { network } = world.stack.localnet
  const held = usdcOf(network, String(payTo)) ?? 0n
  const answer = await world.settle(settleOf(body, amount))
  expect(answer).toMatchObject({ success: true, amount: `${amount}` })
  expect(usdcOf(network, String(payTo)) ?? 0n).toBe(held + amount)
  const applied = network.transaction(answer.transaction)
  const events = applied ? eventsOf(applied) : []
  const names = events.map(({ topics: [name] }) => name)
  expect(names).toEqual(amount > 0n ? ['approve', 'transfer', 'upto_settled'] : ['upto_settled'])
  expect(events.at(-1)).toMatchObject({ contract: world.service.contract, data: [ceiling, amount] })
  expect(await rowOf(world.stack, body, answer.payer)).toMatchObject({
    state: 'succeeded',
    facts: { scheme: 'upto', amount },
  })
}

describe('the amount of a settlement', () => {
  test.each([0n, 1n, 99_999n, 100_000n])('may be %s of a ceiling of 100000', async (amount) =>
    expectSettled(await world.upto(), amount, 100_000n),
  )

  test.each([
    { amount: 100_001n, code: `${U}settlement_exceeds_amount` },
    { amount: MAX, code: `${U}settlement_exceeds_amount` },
    { amount: MAX + 1n, code: `${R}invalid_amount` },
    { amount: -1n, code: `${R}invalid_amount` },
    { amount: MIN, code: `${R}invalid_amount` },
    { amount: MIN - 1n, code: `${R}invalid_amount` },
  ])('may not be $amount; what was signed can be settled all the same', async (row) => {
    const body = await world.upto()
    await expectRefused(settleOf(body, row.amount), row.code)
    await expectSettled(body, 100_000n, 100_000n)
  })

  test('may be zero for a payer who has spent everything in the meantime', async () => {
    const payer = await openWallet(world.stack.localnet, 'none')
    const body = await world.upto({ payer })
    await expectRefused(settleOf(body, 1n), 'invalid_exact_stellar_payload_payer_trustline_missing')
    await expectSettled(body, 0n, 100_000n)
  })

  test.each([
    { ceiling: MAX, amount: MAX },
    { ceiling: MAX, amount: MAX - 1n },
    { ceiling: MAX - 1n, amount: MAX - 1n },
    { ceiling: MAX, amount: 0n },
  ])('may be $amount of a ceiling of $ceiling, of a payer who has as much', async (row) => {
    const { ceiling, amount } = row
    const payer = await richest()
    const body = await world.upto({ payer, payTo: await world.deployer.bell(), ceiling })
    expect((await world.stack.post('/verify', body)).body).toMatchObject({ isValid: true })
    await expectSettled(body, amount, ceiling)
    expect(usdcOf(world.stack.localnet.network, payer.address)).toBe(MAX - amount)
  })

  test('is checked by the contract alone, too', async () => {
    const { payer, authority, stack } = world
    const outsider = await Outsider.open(stack.localnet)
    const held = usdcOf(stack.localnet.network, payer.address)
    for (const [actual, error] of [
      [MIN, '#1'],
      [-1n, '#1'],
      [100_001n, '#2'],
      [MAX, '#2'],
    ] as const) {
      const afterwards = vi.fn()
      await world.upto({ call: { actual }, afterwards })
      const sent = asAuthority(afterwards.mock.calls[0]?.[0], authority)
      expect(await outsider.send(sent)).toContain(`Error(Contract, ${error})`)
    }
    expect(usdcOf(stack.localnet.network, payer.address)).toBe(held)
  })
})

/** A smart account with as much USDC as an i128 can say. */
async function richest(): Promise<Wallet> {
  const payer = await world.deployer.smartAccount()
  rewrite(world.stack.localnet.network, contractBalanceKey(payer.address), (data) => {
    if (data.type !== 'contractData' || data.contractData.val.type !== 'scvMap') return
    const members = (data.contractData.val.map ?? []).map(({ key, val }) =>
      key.type === 'scvSymbol' && key.sym.toString() === 'amount'
        ? new xdr.ScMapEntry({ key, val: i128(MAX) })
        : new xdr.ScMapEntry({ key, val }),
    )
    Object.assign(data.contractData, { val: xdr.ScVal.scvMap(members) })
  })
  return payer
}

const tooSoon = 'invalid_exact_stellar_signature_expiration_too_soon'

describe('an authorization', () => {
  test.each([
    {
      last: -1,
      verify: `${U}expired`,
      settle: 'settle_upto_stellar_authorization_expired',
    },
    { last: 0, verify: tooSoon, settle: tooSoon },
  ])('whose last ledger is the latest $last is refused', async ({ last, verify, settle }) => {
    const body = await world.upto({ expirationLedger: latest(world) + last })
    expect((await world.stack.post('/verify', body)).body).toMatchObject({ invalidReason: verify })
    await expectRefused(body, settle)
  })

  test('whose last ledger is the next is settled on it', async () => {
    const expirationLedger = latest(world) + 1
    const body = await world.upto({ expirationLedger })
    expect((await world.stack.post('/verify', body)).body).toMatchObject({ isValid: true })
    const answer = await world.settle(body)
    expect(answer).toMatchObject({ success: true })
    const applied = world.stack.localnet.network.transaction(answer.transaction)
    expect(applied?.ledger).toBe(expirationLedger)
  })

  test('may last as long as its timeout allows, and no ledger longer', async () => {
    const code = `${U}expiration_too_far`
    const far = await world.upto({ expirationLedger: latest(world) + 1_000 })
    const { body: refused } = await world.stack.post('/verify', far)
    expect(refused).toMatchObject({ invalidReason: code })
    const last = Number(/expected (\d+) or earlier/.exec(refused.invalidMessage)?.[1])
    const over = await world.upto({ expirationLedger: last + 1 })
    expect((await world.stack.post('/verify', over)).body).toMatchObject({ invalidReason: code })
    expect(await world.settle(over)).toMatchObject({ errorReason: code, transaction: '' })
    const within = await world.upto({ expirationLedger: last })
    expect((await world.stack.post('/verify', within)).body).toMatchObject({ isValid: true })
    expect(await world.settle(within)).toMatchObject({ success: true })
  })

  test('that expires while it waits for a channel costs nothing, and says so', async () => {
    const { stack, payer } = world
    const { network } = stack.localnet
    const other = await openWallet(stack.localnet)
    proxy.fail('sendTransaction', { kind: 'swallow' })
    const expirationLedger = latest(world) + 20
    const first = await world.upto({ payer: other, maxTimeoutSeconds: 300, expirationLedger })
    const body = await world.upto({ expirationLedger: latest(world) + 2 })
    const holding = world.settle(first)
    await untilState(stack, first, { payer: other.address, state: 'submitted' })
    const waiting = world.settle(body)
    await untilState(stack, body, { payer: payer.address, state: 'claimed' })
    for (let closed = 0; closed < 3; closed++) await stack.localnet.closeLedger()
    const ledger = latest(world)
    proxy.heal()
    const paid = await holding
    expect(paid).toMatchObject({ success: true })
    await vi.waitFor(
      async () => {
        await stack.localnet.closeLedger()
        expect(await leasedChannels(stack)).toBe(0)
      },
      { timeout: 120_000 },
    )
    expect(await waiting).toMatchObject({
      success: false,
      errorReason: 'settle_upto_stellar_authorization_expired',
    })
    expect(transactionsAfter(network, ledger).map(({ hash }) => hash)).toEqual([paid.transaction])
  })
})

describe('a nonce of the contract that was used', () => {
  test.each([30_000n, 0n])('for %s stays unusable when its entry has expired', async (amount) => {
    const { stack, authority, payer } = world
    const { localnet } = stack
    const outsider = await Outsider.open(localnet)
    const afterwards = vi.fn()
    const expirationLedger = latest(world) + 3
    const nonce = Keypair.random().rawPublicKey()
    const plan = { nonce, amount, expirationLedger, call: { actual: 100_000n } }
    const body = await world.upto({ ...plan, afterwards })
    const twin = await world.upto({ ...plan, afterwards })
    const sent = afterwards.mock.calls.map(([draft]) => asAuthority(draft, authority))
    expect(await world.settle(body)).toMatchObject({ success: true })
    const held = usdcOf(localnet.network, payer.address)
    // One ledger at a time: the last of the authorization, and those around it.
    for (let closed = 0; closed < 5; closed++) {
      for (const each of sent) expect(await outsider.send(each)).toMatch(/^(?!PENDING).*Error\(/s)
      await localnet.closeLedger()
    }
    expect(latest(world)).toBeGreaterThan(expirationLedger + 1)
    expect(await world.settle(twin)).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_idempotency_conflict',
    })
    expect(usdcOf(localnet.network, payer.address)).toBe(held)
  })
})
