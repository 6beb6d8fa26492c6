/** What the RPC answers at the edges of what it keeps and of what it looks through. */
import { Asset, type Keypair, Operation } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Localnet } from '../../../../src/localnet/network.ts'
import type { RpcContext } from '../../../../src/localnet/rpc/context.ts'
import { rpcMethods } from '../../../../src/localnet/rpc/methods.ts'
import { apply, build, fund, key, openNetwork } from '../harness.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
let net: Localnet
let ask: (method: string, params?: unknown) => Record<string, unknown>

function open(retainLedgers?: number): void {
  const { net: opened, clock } = openNetwork(retainLedgers ? { retainLedgers } : {})
  net = opened
  const friendbotUrl = 'http://localhost/friendbot'
  const context: RpcContext = { network: net, clock, friendbotUrl, closeEveryMs: 'manual' }
  const methods = rpcMethods(context)
  ask = (method, params = {}) => Object(methods.get(method)?.(params))
}

const pay = () =>
  apply(
    net,
    build(net, {
      source: alice,
      operations: [
        Operation.payment({ destination: bob.publicKey(), asset: Asset.native(), amount: '1' }),
      ],
    }),
  )
const close = async (ledgers: number) => {
  for (let left = ledgers; left > 0; left--) await net.closeLedger()
}

describe('outside of the retained ledgers', () => {
  let old: Awaited<ReturnType<typeof pay>>
  let toid: string
  beforeEach(async () => {
    open(5)
    await fund(net, [alice, bob])
    old = await pay()
    toid = String(ask('getTransactions', { startLedger: old.ledger })['cursor'])
    await close(10)
  })
  const range = () => `${net.oldest.sequence} - ${net.latest.sequence}`

  it('tells how wide the window is', () => {
    expect(net.latest.sequence - net.oldest.sequence + 1).toBe(5)
    expect(ask('getHealth')).toMatchObject({
      ledgerRetentionWindow: 5,
      oldestLedger: net.oldest.sequence,
    })
  })

  it('a transaction is not found any more', () => {
    expect(ask('getTransaction', { hash: old.hash })).toMatchObject({ status: 'NOT_FOUND' })
  })

  it('events are refused with the range there is, by ledger and by cursor', () => {
    const message = `startLedger must be within the ledger range: ${range()}`
    const cursor = `${(BigInt(old.ledger) << 32n).toString().padStart(19, '0')}-0000000000`
    expect(() => ask('getEvents', { startLedger: old.ledger })).toThrow(message)
    expect(() => ask('getEvents', { pagination: { cursor } })).toThrow(message)
  })

  it('ledgers and transactions are refused with the range there is', () => {
    const between = `between the oldest ledger: ${net.oldest.sequence} and the latest ledger: ${net.latest.sequence} for this rpc instance`
    for (const method of ['getLedgers', 'getTransactions']) {
      expect(() => ask(method, { startLedger: old.ledger })).toThrow(
        `start ledger (${old.ledger}) must be ${between}`,
      )
    }
    expect(() => ask('getLedgers', { pagination: { cursor: '1' } })).toThrow(
      `cursor ('1') must be ${between}`,
    )
    expect(() => ask('getTransactions', { pagination: { cursor: toid } })).toThrow(
      /^database does not contain metadata for ledger: \d+$/,
    )
  })

  it.each([
    ['getLedgers', 'startLedger (9) and cursor (9) cannot both be set'],
    ['getTransactions', 'startLedger (9) and cursor (9) cannot both be set'],
    ['getEvents', 'ledger ranges and cursor cannot both be set'],
  ])('%s takes a start or a cursor', (method, message) => {
    const cursor = method === 'getEvents' ? `${'9'.padStart(19, '0')}-0000000000` : '9'
    expect(() => ask(method, { startLedger: 9, pagination: { cursor } })).toThrow(message)
  })

  it.each(['getLedgers', 'getTransactions'])('%s gives 200 at most', (method) => {
    const startLedger = net.oldest.sequence
    expect(() => ask(method, { startLedger, pagination: { limit: 201 } })).toThrow(
      'limit must not exceed 200',
    )
  })
})

describe('a search for events', () => {
  it('ends after 10,000 ledgers with a cursor from which it goes on', {
    timeout: 60_000,
  }, async () => {
    open()
    await fund(net, [alice, bob])
    const startLedger = net.latest.sequence + 1
    await close(10_005)
    const paid = await pay()
    const filters = [{ type: 'contract' }]
    const first = ask('getEvents', { startLedger, filters })
    expect(first['events']).toEqual([])
    const cursor = String(first['cursor'])
    expect(BigInt(cursor.split('-')[0] ?? '') >> 32n).toBe(BigInt(startLedger + 10_000 - 1))
    const next = ask('getEvents', { filters, pagination: { cursor } })
    expect(next['events']).toEqual(
      expect.arrayContaining([expect.objectContaining({ txHash: paid.hash })]),
    )
  })
})
