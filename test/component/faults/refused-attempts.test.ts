import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { rewrite } from '../../support/ledger-surgery.ts'
import { accountKey, transactionsAfter } from '../../support/ledger-view.ts'
import type { RpcFault } from '../../support/rpc-proxy.ts'
import { unit } from '../../support/stack.ts'
import { expectEnd, type FaultWorld, openFaultWorld, refused, settled } from './fault-world.ts'

const setBalance = ({ world }: FaultWorld, balance: bigint) =>
  rewrite(world.stack.localnet.network, accountKey(world.sponsor), (data) => {
    if (data.type === 'account') Object.assign(data.account, { balance })
  })

/** Passes the envelope on and answers that it was refused. */
const refusedAfterAll: RpcFault = {
  kind: 'rewrite',
  change: ({ hash, latestLedger, latestLedgerCloseTime }) => ({
    status: 'ERROR',
    hash,
    latestLedger,
    latestLedgerCloseTime,
    errorResultXdr: new xdr.TransactionResult({
      feeCharged: 0n,
      result: xdr.TransactionResultResult.txInsufficientBalance(),
      ext: xdr.TransactionResultExt.v0(),
    }).toXdr('base64'),
  }),
}

test('a sponsor whose balance ends between two polls loses no payment: the same request succeeds later', async () => {
  await using faulty = await openFaultWorld(2, { network: { channelCount: 1 } })
  const { world, settle, row } = faulty
  const { network } = world.stack.localnet
  const body = await world.pay()
  const after = network.latest.sequence
  setBalance(faulty, 2n * unit)
  const answer = await settle(body)
  await expectEnd(faulty, { body, after, answer }, refused('txInsufficientBalance'))
  const attempts = await world.stack.store.db.selectFrom('refused_attempts').selectAll().execute()
  expect(attempts).toMatchObject([{ attempt: 1, result_code: 'txInsufficientBalance' }])
  expect(await world.stack.store.db.selectFrom('channels').select('sequence').execute()).toEqual([
    { sequence: null },
  ])

  setBalance(faulty, 60n * unit)
  expect(await settle(body)).toMatchObject({ success: true })
  expect(await row(body)).toMatchObject({ state: 'succeeded', attempt: 3 })
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
  await expect.poll(sent, { timeout: 40_000 }).toBe(3)
  setBalance(faulty, 60n * unit)
  const answer = await settling
  expect(await row(body)).toMatchObject({ attempt: 1 })
  await expectEnd(faulty, { body, after, answer }, settled)
})

describe('a transaction that lands although it was refused', () => {
  test('is the answer to the same request', async () => {
    await using faulty = await openFaultWorld(1)
    const { world, proxies, settle, row } = faulty
    const { network } = world.stack.localnet
    const body = await world.pay()
    const after = network.latest.sequence
    proxies[0]?.fail('sendTransaction', refusedAfterAll, 1)
    expect(await settle(body)).toMatchObject({ success: false, transaction: '' })
    await expect.poll(() => transactionsAfter(network, after).length).toBe(1)

    const answer = await settle(body)
    expect(answer).toMatchObject({ success: true })
    expect(await settle(body)).toEqual(answer)
    await expectEnd(faulty, { body, after, answer }, { ...settled, row: { state: 'succeeded' } })
    expect((await row(body))?.outcome).toMatchObject({ ledger: network.latest.sequence })
  })

  test('is the answer of the next attempt too, whichever of the two the ledger takes', async () => {
    await using faulty = await openFaultWorld(1)
    const { world, proxies, settle } = faulty
    const { stack } = world
    const { network } = stack.localnet
    stack.hold(true)
    const body = await world.pay()
    const after = network.latest.sequence
    const taken = stack.taken.length
    proxies[0]?.fail('sendTransaction', refusedAfterAll, 1)
    expect(await settle(body)).toMatchObject({ success: false, transaction: '' })
    const settling = settle(body)
    await expect.poll(() => stack.taken.length, { timeout: 40_000 }).toBe(taken + 2)
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
