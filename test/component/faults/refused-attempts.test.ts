import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { provesUnsent } from '../../../src/payments/protocol/unsettled.ts'
import { refuseAttempt } from '../../../src/payments/store/settlements/transitions/refuse.ts'
import { rewrite } from '../../support/ledger-surgery.ts'
import { accountKey, transactionsAfter } from '../../support/ledger-view.ts'
import type { PaymentBody } from '../../support/payments.ts'
import { unit } from '../../support/stack.ts'
import { consume } from '../payments/consume.ts'
import { untilSent, untilState } from '../payments/store-view.ts'
import { expectEnd, type FaultWorld, openFaultWorld, refused, settled } from './fault-world.ts'

const setBalance = ({ world }: FaultWorld, balance: bigint) =>
  rewrite(world.stack.localnet.network, accountKey(world.sponsor), (data) => {
    if (data.type === 'account') Object.assign(data.account, { balance })
  })

/** What a request leaves that claims a refused settlement and ends before it records an envelope. */
async function claimAndEnd({ world }: FaultWorld, state: 'released' | 'abandoned') {
  const { db } = world.stack.store
  await sql`update settlements set state = 'claimed', attempt = attempt + 1
    where state = 'refused'`.execute(db)
  await sql`update settlements set state = ${state} where state = 'claimed'`.execute(db)
}

/** Settles a payment, and ends its attempt as refused once the network has its transaction. */
async function settleAndRefuse({ world, settle, untilRecorded }: FaultWorld, body: PaymentBody) {
  const { stack } = world
  stack.hold(true)
  const settling = settle(body)
  const { key, attempt } = await untilRecorded(body)
  await untilSent(stack, body)
  const refusal = { resultCode: 'txInsufficientFee', recordedWithinMs: 60_000 }
  expect(await refuseAttempt(stack.store.db, { key, attempt, ...refusal })).toBe(true)
  expect(await settling).toMatchObject({ success: false, transaction: '' })
}

/** The same, and the ledger has the transaction afterwards. */
async function landRefused(faulty: FaultWorld, body: PaymentBody) {
  await settleAndRefuse(faulty, body)
  const { stack } = faulty.world
  stack.hold(false)
  await stack.localnet.closeLedger()
}

test('a sponsor whose balance ends between two polls loses no payment: it is made once the balance is back', async () => {
  await using faulty = await openFaultWorld(2, { network: { channelCount: 1 } })
  const { world, settle } = faulty
  const { network } = world.stack.localnet
  const body = await world.pay()
  const after = network.latest.sequence
  setBalance(faulty, 2n * unit)
  const answer = await settle(body)
  await expectEnd(faulty, { body, after, answer }, refused('txInsufficientBalance'))

  setBalance(faulty, 60n * unit)
  await untilState(world.stack, body, 'succeeded')
  await expectEnd(faulty, { body, after, answer: await settle(body) }, settled)
  expect(transactionsAfter(network, after)).toHaveLength(1)
})

test('a refusal proves nothing while another endpoint that got the bytes is silent', async () => {
  await using faulty = await openFaultWorld(2, { timings: { rebroadcastMs: 3_000 } })
  const { world, proxies, settle, untilRecorded, row } = faulty
  const { network } = world.stack.localnet
  const body = await world.pay()
  const after = network.latest.sequence
  // Whichever comes first, it is silent; so is the other, and then the first refuses.
  for (const proxy of proxies) proxy.fail('sendTransaction', { kind: 'hang up' }, 1)
  const sent = () => proxies.reduce((sum, proxy) => sum + proxy.count('sendTransaction'), 0)
  setBalance(faulty, 2n * unit)
  const settling = settle(body)
  await untilRecorded(body)
  await expect.poll(sent, { timeout: 120_000 }).toBeGreaterThanOrEqual(3)
  setBalance(faulty, 60n * unit)
  const answer = await settling
  expect(await row(body)).toMatchObject({ attempt: 1 })
  await expectEnd(faulty, { body, after, answer }, settled)
})

describe('a transaction that lands although it was refused', () => {
  test('is the answer to the same request', async () => {
    await using faulty = await openFaultWorld(1)
    const { world, settle, row } = faulty
    const { network } = world.stack.localnet
    const body = await world.pay()
    const after = network.latest.sequence
    await landRefused(faulty, body)

    const answer = await settle(body)
    expect(answer).toMatchObject({ success: true })
    expect(await settle(body)).toEqual(answer)
    await expectEnd(faulty, { body, after, answer }, { ...settled, row: { state: 'succeeded' } })
    expect((await row(body))?.outcome).toMatchObject({ ledger: network.latest.sequence })
  })

  test.each(['released', 'abandoned'] as const)(
    'is the answer also when the attempt after it was %s',
    async (state) => {
      await using faulty = await openFaultWorld(1)
      const { world, settle } = faulty
      const { network } = world.stack.localnet
      const body = await world.pay()
      const after = network.latest.sequence
      await landRefused(faulty, body)
      await claimAndEnd(faulty, state)

      const answer = await settle(body)
      await expectEnd(faulty, { body, after, answer }, { ...settled, row: { state: 'succeeded' } })
    },
  )

  test('is the answer also after the authorization has expired', async () => {
    await using faulty = await openFaultWorld(1)
    const { world, settle } = faulty
    const { localnet, store } = world.stack
    const { network } = localnet
    const body = await world.pay()
    const after = network.latest.sequence
    await landRefused(faulty, body)
    const { expiration_ledger: last } = await store.db
      .selectFrom('settlements')
      .select('expiration_ledger')
      .executeTakeFirstOrThrow()
    while (network.latest.sequence <= (last ?? 0n)) await network.closeLedger()

    const answer = await settle(body)
    await expectEnd(faulty, { body, after, answer }, { ...settled, row: { state: 'succeeded' } })
  })

  test('is the answer of the next attempt, whose channel did not use its number', async () => {
    await using faulty = await openFaultWorld(1, { network: { channelCount: 2 } })
    const { world, proxies, settle, row, untilTooLate } = faulty
    const { stack } = world
    const { network } = stack.localnet
    const body = await world.pay()
    const after = network.latest.sequence
    await settleAndRefuse(faulty, body)
    proxies[0]?.fail('sendTransaction', { kind: 'swallow' })
    const settling = settle(body)
    await expect.poll(async () => (await row(body))?.state, { timeout: 120_000 }).toBe('submitted')
    await network.closeLedger()
    await untilTooLate(body)
    expect(await settling).toMatchObject({ success: true })
    expect(await row(body)).toMatchObject({ state: 'succeeded', attempt: 3 })
    expect(transactionsAfter(network, after)).toHaveLength(1)
    const sequences = stack.store.db.selectFrom('channels').select('sequence')
    expect(await sequences.execute()).toEqual([{ sequence: null }, { sequence: null }])
  })

  test('is the answer of the next attempt too, whichever of the two the ledger takes', async () => {
    await using faulty = await openFaultWorld(1)
    const { world, settle } = faulty
    const { stack } = world
    const { network } = stack.localnet
    const body = await world.pay()
    const after = network.latest.sequence
    const taken = stack.taken.length
    await settleAndRefuse(faulty, body)
    const settling = settle(body)
    await expect.poll(() => stack.taken.length, { timeout: 120_000 }).toBe(taken + 2)
    await network.closeLedger()
    const answer = await settling
    expect(answer).toMatchObject({ success: true })
    const landed = transactionsAfter(network, after)
    expect(landed).toHaveLength(2)
    expect(landed.filter(({ successful }) => successful)).toMatchObject([
      { hash: answer['transaction'] },
    ])
  })
})

test('an expired attempt that another process has refused is not answered as expired', async () => {
  await using faulty = await openFaultWorld(1, { timings: { rebroadcastMs: 2_000 } })
  const { world, proxies, settle, row, untilRecorded } = faulty
  const { db } = world.stack.store
  const { network } = world.stack.localnet
  proxies[0]?.fail('sendTransaction', { kind: 'swallow' })
  const body = await world.pay()
  const settling = settle(body)
  const { key, recorded } = await untilRecorded(body)
  const refusal = { key, attempt: 1, resultCode: 'txInsufficientFee', recordedWithinMs: 60_000 }
  expect(await refuseAttempt(db, refusal)).toBe(true)
  while (network.latest.closeTime <= (recorded?.maxTime ?? 0)) await network.closeLedger()
  expect(await settling).toMatchObject({
    success: false,
    errorReason: 'settle_exact_stellar_settlement_in_progress',
  })
  expect(await row(body)).toMatchObject({ state: 'refused' })
})

test('a bid that the network finds too low is raised under the same authorization', async () => {
  await using faulty = await openFaultWorld(2, { network: { channelCount: 1 } })
  const { world, settle, row } = faulty
  const { facilitator, store, localnet } = world.stack
  const { monitor } = facilitator.networks.get('stellar:testnet') ?? {}
  if (monitor) Object.defineProperty(monitor, 'inclusionFee', { value: 10n, configurable: true })
  const body = await world.pay()
  const after = localnet.network.latest.sequence
  expect(await settle(body)).toMatchObject({ success: true })
  expect(await row(body)).toMatchObject({ state: 'succeeded' })
  const attempts = await store.db.selectFrom('refused_attempts').select('result_code').execute()
  expect(new Set(attempts.map(({ result_code }) => result_code))).toEqual(
    new Set(['txInsufficientFee']),
  )
  expect(transactionsAfter(localnet.network, after)).toHaveLength(1)
})

describe('an envelope that was sent before the next attempt is refused', () => {
  /** The network refuses the first bid; then the sponsor has no funds for the next one. */
  async function bidTooLow({ world, settle }: FaultWorld) {
    const { monitor } = world.stack.facilitator.networks.get('stellar:testnet') ?? {}
    const set = (name: string, value: unknown) =>
      monitor && Object.defineProperty(monitor, name, { value, configurable: true })
    set('inclusionFee', 10n)
    set('outbid', () => set('spendable', 0n))
    const body = await world.pay()
    return { body, answer: await settle(body) }
  }

  test('is pending, for every repeat, though the sponsor has no funds for the next bid', async () => {
    await using faulty = await openFaultWorld(1)
    const { body, answer } = await bidTooLow(faulty)
    const [attempt] = await faulty.world.stack.store.db
      .selectFrom('refused_attempts')
      .selectAll()
      .execute()
    expect(answer).toMatchObject({
      ...{ success: false, errorReason: 'settlement_pending' },
      transaction: attempt?.tx_hash,
    })
    expect(provesUnsent(String(answer['errorReason']))).toBe(false)
    expect(await faulty.settle(body)).toEqual(answer)
    const other = structuredClone(body)
    other.paymentPayload['resource'] = { url: 'https://seller.example/other' }
    expect(await faulty.settle(other)).toMatchObject({
      errorReason: 'settle_exact_stellar_idempotency_conflict',
    })
  })

  test('has succeeded when a stranger made its payment', async () => {
    await using faulty = await openFaultWorld(1)
    const { body } = await bidTooLow(faulty)
    const { localnet } = faulty.world.stack
    const transaction = await consume(localnet, body)
    expect(await faulty.settle(body)).toMatchObject({ success: true, transaction })
    expect(await faulty.row(body)).toMatchObject({ state: 'succeeded' })
  })

  test('is refused once every ledger in which it could be paid was searched', async () => {
    await using faulty = await openFaultWorld(1)
    const { body } = await bidTooLow(faulty)
    const { localnet, store } = faulty.world.stack
    const { expiration_ledger: last } = await store.db
      .selectFrom('settlements')
      .select('expiration_ledger')
      .executeTakeFirstOrThrow()
    while (localnet.network.latest.sequence <= (last ?? 0n)) await localnet.closeLedger()
    const answer = await faulty.settle(body)
    expect(answer).toMatchObject({ success: false, transaction: '' })
    expect(answer['errorReason']).not.toBe('settlement_pending')
  })
})
