/** RPC results outside of the retained ledgers, and at the limits of a search. */
import type { Keypair } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Localnet } from '../../../../src/localnet/network.ts'
import type { RpcContext } from '../../../../src/localnet/rpc/context.ts'
import { rpcMethods } from '../../../../src/localnet/rpc/methods.ts'
import { apply, build, fund, key, openNetwork } from '../harness.ts'
import { pay } from '../table/operations.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
let net: Localnet
let call: (method: string, params?: unknown) => Record<string, unknown>

function open(retainLedgers?: number): void {
  const { net: opened, clock } = openNetwork(retainLedgers ? { retainLedgers } : {})
  net = opened
  const friendbotUrl = 'http://localhost/friendbot'
  const context: RpcContext = { network: net, clock, friendbotUrl, closeEveryMs: 'manual' }
  const methods = rpcMethods(context)
  call = (method, params = {}) => Object(methods.get(method)?.(params))
}

const payment = () => apply(net, build(net, { source: alice, operations: [pay(bob, '1')] }))
const close = async (ledgers: number) => {
  for (let left = ledgers; left > 0; left--) await net.closeLedger()
}

describe('outside of the retained ledgers', () => {
  let old: Awaited<ReturnType<typeof payment>>
  let toid: string
  beforeEach(async () => {
    open(5)
    await fund(net, [alice, bob])
    old = await payment()
    toid = String(call('getTransactions', { startLedger: old.ledger })['cursor'])
    await close(10)
  })
  const range = () => `${net.oldest.sequence} - ${net.latest.sequence}`

  it('reports the retention window', () => {
    expect(net.latest.sequence - net.oldest.sequence + 1).toBe(5)
    expect(call('getHealth')).toMatchObject({
      ledgerRetentionWindow: 5,
      oldestLedger: net.oldest.sequence,
    })
  })

  it('a transaction is not found', () => {
    expect(call('getTransaction', { hash: old.hash })).toMatchObject({ status: 'NOT_FOUND' })
  })

  it('events are refused with the available range, by ledger and by cursor', () => {
    const message = `startLedger must be within the ledger range: ${range()}`
    const cursor = `${(BigInt(old.ledger) << 32n).toString().padStart(19, '0')}-0000000000`
    expect(() => call('getEvents', { startLedger: old.ledger })).toThrow(message)
    expect(() => call('getEvents', { pagination: { cursor } })).toThrow(message)
  })

  it('ledgers and transactions are refused with the available range', () => {
    const between = `between the oldest ledger: ${net.oldest.sequence} and the latest ledger: ${net.latest.sequence} for this rpc instance`
    for (const method of ['getLedgers', 'getTransactions']) {
      expect(() => call(method, { startLedger: old.ledger })).toThrow(
        `start ledger (${old.ledger}) must be ${between}`,
      )
    }
    expect(() => call('getLedgers', { pagination: { cursor: '1' } })).toThrow(
      `cursor ('1') must be ${between}`,
    )
    expect(() => call('getTransactions', { pagination: { cursor: toid } })).toThrow(
      /^database does not contain metadata for ledger: \d+$/,
    )
  })

  it.each([
    ['getLedgers', 'startLedger (9) and cursor (9) cannot both be set'],
    ['getTransactions', 'startLedger (9) and cursor (9) cannot both be set'],
    ['getEvents', 'ledger ranges and cursor cannot both be set'],
  ])('%s takes a start or a cursor', (method, message) => {
    const cursor = method === 'getEvents' ? `${'9'.padStart(19, '0')}-0000000000` : '9'
    expect(() => call(method, { startLedger: 9, pagination: { cursor } })).toThrow(message)
  })

  it.each(['getLedgers', 'getTransactions'])('%s returns at most 200', (method) => {
    const startLedger = net.oldest.sequence
    expect(() => call(method, { startLedger, pagination: { limit: 201 } })).toThrow(
      'limit must not exceed 200',
    )
  })
})

describe('a search for events', () => {
  it('ends after 10,000 ledgers with a cursor for the next page', {
    timeout: 240_000,
  }, async () => {
    open()
    await fund(net, [alice, bob])
    const startLedger = net.latest.sequence + 1
    for (let ledger = 0; ledger < 5; ledger++) await net.travel({ ledgers: 2_001, seconds: 2_001 })
    const paid = await payment()
    const filters = [{ type: 'contract' }]
    const first = call('getEvents', { startLedger, filters })
    expect(first['events']).toEqual([])
    const cursor = String(first['cursor'])
    expect(BigInt(cursor.split('-')[0] ?? '') >> 32n).toBe(BigInt(startLedger + 10_000 - 1))
    const next = call('getEvents', { filters, pagination: { cursor } })
    expect(next['events']).toEqual(
      expect.arrayContaining([expect.objectContaining({ txHash: paid.hash })]),
    )
  })
})
