/** The proxy with which other tests inject RPC faults. */
import { Asset, Keypair, Operation, rpc, TransactionBuilder } from '@stellar/stellar-sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { type RpcFault, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { callRpc, createWorld, type World } from './test-network.ts'

let world: World
let proxy: RpcProxy
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  proxy = await startRpcProxy()
  proxy.forwardTo(world.server.httpUrl)
})
afterEach(() => proxy[Symbol.asyncDispose]())

const ask = (method: string, params?: unknown) => callRpc(proxy.url, method, params)

async function payment() {
  const server = new rpc.Server(world.server.httpUrl, { allowHttp: true })
  const account = await server.getAccount(world.source.publicKey())
  const transaction = new TransactionBuilder(account, {
    fee: '1000',
    networkPassphrase: world.server.network.passphrase,
  })
    .addOperation(
      Operation.payment({
        destination: world.payee.publicKey(),
        asset: Asset.native(),
        amount: '1',
      }),
    )
    .setTimeout(60)
    .build()
  transaction.sign(world.source)
  const hash = Buffer.from(transaction.hash()).toString('hex')
  return { envelope: transaction.toXdr(), hash }
}

/** A payment on the latest ledger. */
async function paid() {
  const { envelope, hash } = await payment()
  await callRpc(world.server.httpUrl, 'sendTransaction', { transaction: envelope })
  await world.server.closeLedger()
  return hash
}
const statusOf = async (hash: string) => (await ask('getTransaction', { hash })).result?.['status']

describe('the proxy', () => {
  it('forwards and counts requests without a fault', async () => {
    expect((await ask('getHealth')).result?.['status']).toBe('healthy')
    expect([proxy.count('getHealth'), proxy.count('getNetwork')]).toEqual([1, 0])
  })

  it('drops the response to a transaction that is applied', async () => {
    const { envelope, hash } = await payment()
    proxy.fail('sendTransaction', { kind: 'lose answer', after: world.server.closeLedger }, 1)
    await expect(ask('sendTransaction', { transaction: envelope })).rejects.toThrow()
    expect(world.server.network.transaction(hash)?.successful).toBe(true)
  })

  it('drops a transaction', async () => {
    const { envelope, hash } = await payment()
    proxy.fail('sendTransaction', { kind: 'swallow' }, 1)
    const { result } = await ask('sendTransaction', { transaction: envelope })
    expect(result).toMatchObject({ status: 'PENDING', hash })
    expect((await world.server.closeLedger()).transactions).toEqual([])
  })

  it.each<[string, RpcFault]>([
    ['hangs up', { kind: 'hang up' }],
    ['cuts the answer short', { kind: 'truncate' }],
    ['answers what is no JSON', { kind: 'garbage', text: '<html>' }],
    ['answers nothing', { kind: 'garbage', text: '' }],
  ])('%s as often as configured', async (_, fault) => {
    proxy.fail('getNetwork', fault, 2)
    await expect(ask('getNetwork')).rejects.toThrow()
    await expect(ask('getNetwork')).rejects.toThrow()
    expect((await ask('getNetwork')).result).toHaveProperty('passphrase')
  })

  it.each([429, 500, 503])('responds with status %i', async (status) => {
    proxy.fail('getNetwork', { kind: 'status', status }, 1)
    const request = { method: 'POST', body: JSON.stringify({ id: 1, method: 'getNetwork' }) }
    const response = await fetch(proxy.url, request)
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '1' : null)
    await response.text()
  })

  it('delays a response until the caller gives up', async () => {
    proxy.fail('getNetwork', { kind: 'hang' })
    const giveUp = new AbortController()
    const body = JSON.stringify({ id: 1, method: 'getNetwork' })
    const waiting = fetch(proxy.url, { method: 'POST', body, signal: giveUp.signal })
    const answered = await Promise.race([
      waiting.then(() => 'answered'),
      ask('getHealth').then(() => 'still waiting'),
    ])
    expect(answered).toBe('still waiting')
    giveUp.abort()
    await expect(waiting).rejects.toThrow()
  })

  it('hides a transaction for a number of ledgers, or for ever', async () => {
    const hash = await paid()
    proxy.hide(hash, 2)
    expect(await statusOf(hash)).toBe('NOT_FOUND')
    await world.server.closeLedger()
    expect(await statusOf(hash)).toBe('NOT_FOUND')
    await world.server.closeLedger()
    expect(await statusOf(hash)).toBe('SUCCESS')
    proxy.hide(hash)
    expect(await statusOf(hash)).toBe('NOT_FOUND')
  })

  it('lags behind in every ledger that it reports', async () => {
    const hash = await paid()
    const { network } = world.server
    const { sequence } = network.latest
    proxy.lag(2)
    const then = network.ledger(sequence - 2)
    expect((await ask('getLatestLedger')).result).toMatchObject({
      sequence: sequence - 2,
      id: then?.hash,
      closeTime: String(then?.closeTime),
    })
    expect((await ask('getHealth')).result?.['latestLedger']).toBe(sequence - 2)
    expect(await statusOf(hash)).toBe('NOT_FOUND')
    const { result } = await ask('getTransactions', { startLedger: sequence })
    expect(result).toMatchObject({ transactions: [], latestLedger: sequence - 2 })
    await world.server.closeLedger()
    await world.server.closeLedger()
    expect(await statusOf(hash)).toBe('SUCCESS')
    proxy.lag(0)
    expect((await ask('getLatestLedger')).result?.['sequence']).toBe(sequence + 2)
  })

  it('switches to another network', async () => {
    const { network } = world.server
    await using other = await startLocalnetServer({ closeEveryMs: 'manual' })
    proxy.forwardTo(other.httpUrl)
    const address = Keypair.random().publicKey()
    await other.pay({ address, asset: 'XLM', amount: 10_0000000n })
    const { result } = await ask('getLatestLedger')
    expect(result?.['id']).toBe(other.network.latest.hash)
    expect(result?.['id']).not.toBe(network.latest.hash)
    proxy.fail('getNetwork', {
      kind: 'rewrite',
      change: (told) => ({ ...told, passphrase: 'another network' }),
    })
    expect((await ask('getNetwork')).result?.['passphrase']).toBe('another network')
  })
})
