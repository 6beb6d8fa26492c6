/** Starting, funding, paying and ending: what every test with an embedded network does. */
import { Asset, Keypair, Networks } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { startLocalnet } from '../../../../src/package/localnet.ts'
import { callRpc } from '../test-network.ts'
import { open, payment, send, signed, xlmOf } from './support.ts'

describe('an instant network', () => {
  it('has a payment on a ledger when sendTransaction answers', async () => {
    await using net = await startLocalnet()
    const alice = await net.fund()
    const bob = await net.fund({ XLM: '5' })
    const before = net.latestLedger.sequence
    const sent = await send(net, await signed(net, alice, payment(bob, '2.5')))
    expect(sent).toMatchObject({ status: 'PENDING', applied: 'SUCCESS' })
    expect(net.latestLedger.sequence).toBe(before + 1)
    expect(await xlmOf(net, bob)).toBe('7.5')
  })

  it('closes no ledger for a request that sends nothing, or a transaction that is refused', async () => {
    await using net = await startLocalnet()
    const [alice, bob] = [await net.fund(), await net.fund()]
    const first = await signed(net, alice, payment(bob))
    await send(net, first)
    const repeated = await signed(net, alice, payment(bob))
    await send(net, await signed(net, alice, payment(bob, '3')))
    const { sequence } = net.latestLedger
    expect(await send(net, repeated)).toMatchObject({ status: 'ERROR', code: 'txBadSeq' })
    await open(net).getHealth()
    expect(net.latestLedger.sequence).toBe(sequence)
  })

  it('puts a hundred payments that arrive together on ledgers, each once', async () => {
    await using net = await startLocalnet()
    const bob = await net.fund()
    const payers = await Promise.all(Array.from({ length: 100 }, () => net.fund()))
    const signedAll = await Promise.all(payers.map((payer) => signed(net, payer, payment(bob))))
    const sent = await Promise.all(signedAll.map((transaction) => send(net, transaction)))
    expect(sent.filter(({ applied }) => applied !== 'SUCCESS')).toEqual([])
    expect(await xlmOf(net, bob)).toBe('10100')
  })

  it('keeps the time of its ledgers at the real one, however many close', async () => {
    await using net = await startLocalnet()
    const start = net.latestLedger.closeTime
    for (let count = 0; count < 300; count++) await net.closeLedger()
    expect(net.latestLedger.closeTime).toBeGreaterThanOrEqual(start)
    expect(net.latestLedger.closeTime * 1000).toBeLessThanOrEqual(net.now())
  })
})

describe('a manual network', () => {
  it('closes a ledger only when told to', async () => {
    await using net = await startLocalnet({ closing: 'manual' })
    const [alice, bob] = [await net.fund(), await net.fund()]
    const { sequence } = net.latestLedger
    const sent = await send(net, await signed(net, alice, payment(bob)))
    expect(sent).toMatchObject({ status: 'PENDING', applied: 'NOT_FOUND' })
    const closed = await net.closeLedger()
    expect([closed.sequence, net.latestLedger]).toEqual([sequence + 1, closed])
    expect((await open(net).getTransaction(sent.hash)).status).toBe('SUCCESS')
  })
})

describe('a network with a timer', () => {
  it('closes ledgers by itself, and fund waits for them', async () => {
    await using net = await startLocalnet({ closing: { everyMs: 20 } })
    const alice = await net.fund({ XLM: '20', USDC: '3' })
    expect(await xlmOf(net, alice)).toBe('20')
    const { sequence } = net.latestLedger
    await expect.poll(() => net.latestLedger.sequence).toBeGreaterThan(sequence)
  })
})

describe('fund', () => {
  it('pays in one ledger, creates account and trustline, and pays again', async () => {
    await using net = await startLocalnet()
    const alice = Keypair.random()
    const { sequence } = net.latestLedger
    expect(await net.fund(alice, { XLM: '20', USDC: '0.0000001' })).toBe(alice)
    expect(net.latestLedger.sequence).toBe(sequence + 1)
    expect(await net.fund(alice.publicKey(), { XLM: '1.5' })).toBe(alice.publicKey())
    expect(await xlmOf(net, alice)).toBe('21.5')
    const line = await open(net).getTrustline(
      alice.publicKey(),
      new Asset(net.usdc.code, net.usdc.issuer),
    )
    expect(line.balance).toBe(1n)
  })

  it.each([
    ['no amount', { XLM: '0' }],
    ['eight decimals', { USDC: '0.00000001' }],
    ['a negative amount', { XLM: '-1' }],
    ['no asset of the faucet', { EURC: '1' }],
  ])('refuses %s', async (_, amounts: object) => {
    await using net = await startLocalnet()
    await expect(net.fund(Keypair.random(), amounts)).rejects.toThrow(RangeError)
  })

  it('refuses what is no address', async () => {
    await using net = await startLocalnet()
    await expect(net.fund('nobody')).rejects.toThrow(RangeError)
  })
})

describe('networks', () => {
  it('of one process share nothing', async () => {
    await using one = await startLocalnet()
    await using other = await startLocalnet({ networkPassphrase: Networks.PUBLIC })
    const alice = await one.fund()
    expect(await xlmOf(one, alice)).toBe('10000')
    await expect(open(other).getAccount(alice.publicKey())).rejects.toThrow()
    expect((await open(other).getNetwork()).passphrase).toBe(Networks.PUBLIC)
    await one.travel(500)
    expect([one.latestLedger.sequence, other.latestLedger.sequence]).toEqual([102, 1])
  })

  it('answer no more once they are closed, and may be closed twice', async () => {
    const net = await startLocalnet()
    await net.close()
    await net.close()
    await expect(callRpc(net.rpcUrl, 'getHealth')).rejects.toThrow()
  })
})
