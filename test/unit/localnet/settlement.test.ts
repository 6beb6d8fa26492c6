/** Payments as a facilitator settles them, in both schemes. What they change in a ledger is in the table. */
import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { usdc } from '../../../src/localnet/genesis/genesis-assets.ts'
import { entryKey } from '../../../src/localnet/ledger/entry-record.ts'
import { accountKey } from '../../../src/localnet/ledger/keys.ts'
import type { NetworkSnapshot } from '../../../src/localnet/snapshot/snapshot.ts'
import {
  apply,
  build,
  bump,
  bytesOf,
  feeCharged,
  fund,
  idOf,
  key,
  openNetwork,
  trustline,
  XLM,
} from './harness.ts'
import { declaring, transferCall } from './soroban-harness.ts'
import { settleCall, settleTransaction } from './upto-call.ts'

const keys = (...numbers: number[]) => numbers.map(key) as [Keypair, Keypair]
const [sponsor, authority] = keys(1, 2)
const channels = keys(20, 21)
const payers = keys(30, 31)
const sellers = keys(40, 41)
const [channel] = channels
const UNIT = 10_000_000n
const { net } = openNetwork()
let start: NetworkSnapshot

beforeAll(async () => {
  await fund(net, [sponsor, authority, ...channels])
  await fund(net, [...payers, ...sellers], 10n, 'USDC')
  start = await net.snapshot()
})

beforeEach(() => net.restore(start))

async function exact() {
  const [from, to] = [payers[0], sellers[0]]
  const transfer = { from, to, amount: 5n * UNIT, source: channel, asset: usdc }
  const call = await transferCall(net, transfer)
  const inner = build(net, { source: channel, call })
  return { inner, data: call.data, bumped: bump(sponsor, inner) }
}

const upto = (payer = payers[0], payTo = sellers[0]) =>
  settleCall(net, { payer, payTo, authority, ceiling: 5n * UNIT, actual: 2n * UNIT, nonce: 1 })

describe('a payment in the scheme exact', () => {
  // The fees of two real payments of x402, which localnet charged to the stroop when it replayed them. Theirs
  // are other envelopes: a stroop is seven bytes, or 1,430 instructions.
  it.each([23_073n, 23_086n])('costs about what a real payment did: %s stroops', async (real) => {
    await apply(net, (await exact()).bumped)
    const { resultXdr } = await apply(net, (await exact()).bumped)
    const difference = Number(feeCharged(resultXdr) - real)
    expect(Math.abs(difference)).toBeLessThan(50)
  })

  it('has a fee event and, after all transactions, a refund event', async () => {
    const { bumped, data } = await exact()
    const { resultXdr, transactionEvents } = await apply(net, bumped)
    const events = transactionEvents.map((it) => xdr.TransactionEvent.fromXdr(it))
    const [charged = 0n, refund = 0n] = events.map(({ event }) => amountOf(event.body.value.data))

    expect(events.map(({ stage }) => stage.name)).toEqual([
      'transactionEventStageBeforeAllTxs',
      'transactionEventStageAfterAllTxs',
    ])
    expect(charged).toBe(200n + data.resourceFee)
    expect(refund).toBeLessThan(0n)
    expect(charged + refund).toBe(feeCharged(resultXdr))
  })

  it('is found by its own hash and by that of the inner transaction', async () => {
    const { bumped, inner } = await exact()
    const applied = await apply(net, bumped)
    const [hash, innerHash] = [bumped, inner].map((it) => Buffer.from(it.hash()).toString('hex'))

    expect(net.transaction(innerHash ?? '')).toBe(applied)
    expect(applied).toMatchObject({ feeBump: true, hash, innerHash, applicationOrder: 1 })
  })
})

describe('a payment in the scheme upto', () => {
  it('does not have the authority in its footprint', async () => {
    const { readOnly, readWrite } = (await upto()).data.resources.footprint
    const touched = [...readOnly, ...readWrite].map((it) => entryKey(it.toXdr()))
    expect(touched).not.toContain(accountKey(idOf(authority)))
  })

  it('shares the authority with others of its ledger, each in a cluster of its own', async () => {
    for (const [lane, source] of channels.entries()) {
      // Two of these are more than a ledger runs one after the other.
      const changes = { instructions: 400_000_000, resourceFee: XLM }
      const call = declaring(await upto(payers[lane], sellers[lane]), changes)
      const sent = net.submit(bytesOf(settleTransaction(net, call, { channel: source, authority })))
      expect(sent.status).toBe('PENDING')
    }
    const { transactions } = await net.closeLedger()
    expect(transactions.map(({ successful }) => successful)).toEqual([true, true])
    expect(new Set(transactions.map(({ cluster }) => String(cluster))).size).toBe(2)
    const received = sellers.map((it) => trustline(net, it, usdc)?.balance)
    expect(received).toEqual([12n * UNIT, 12n * UNIT])
  })
})

function amountOf(value: xdr.ScVal): bigint {
  if (value.type !== 'scvI128') throw new Error(`an amount of type ${value.type}`)
  return (BigInt.asIntN(64, value.i128.hi) << 64n) | value.i128.lo
}
