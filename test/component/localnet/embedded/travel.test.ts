/** What expires when time passes, and what clients see of the ledgers that were left out. */
import { contract, type Keypair } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { type EmbeddedNetwork, startLocalnet } from '../../../../src/package/localnet.ts'
import { clientOf, open, payment, send, signed, statusOf, tokenWasm, xlmOf } from './support.ts'

const DAY = 86_400
/** The minimum TTL of persistent entries is 120,960 ledgers: seven days. */
const EIGHT_DAYS = 8 * DAY

const signer = (net: EmbeddedNetwork, key: Keypair) =>
  contract.basicNodeSigner(key, net.networkPassphrase)

const transferTo = (from: Keypair, to: Keypair) => ({
  from: from.publicKey(),
  to: to.publicKey(),
  amount: 15n,
})

describe('travel', () => {
  it('moves close time and sequence together, five seconds for a ledger', async () => {
    await using net = await startLocalnet()
    const before = net.latestLedger
    const after = await net.travel(DAY)
    expect(after.sequence).toBe(before.sequence + DAY / 5)
    expect(after.closeTime - before.closeTime).toBeGreaterThanOrEqual(DAY)
    expect(net.now()).toBeGreaterThanOrEqual(after.closeTime * 1000)
    expect((await net.travel(1)).sequence).toBe(after.sequence + 1)
    const { closeTime } = await net.closeLedger()
    expect(closeTime - before.closeTime).toBeGreaterThan(DAY)
  })

  it('expires time bounds', async () => {
    await using net = await startLocalnet()
    const [alice, bob] = [await net.fund(), await net.fund()]
    const soon = net.latestLedger.closeTime + 300
    const transaction = await signed(net, alice, payment(bob), soon)
    await net.travel(301)
    expect(await send(net, transaction)).toMatchObject({ status: 'ERROR', code: 'txTooLate' })
    const next = await signed(net, alice, payment(bob), Math.ceil(net.now() / 1000) + 300)
    expect(await send(net, next)).toMatchObject({ applied: 'SUCCESS' })
  })

  it('drops a waiting transaction that expires, and includes one that does not', async () => {
    await using net = await startLocalnet({ closing: 'manual' })
    const [alice, bob, carol] = [await net.fund(), await net.fund(), await net.fund()]
    const soon = net.latestLedger.closeTime + 300
    const late = await send(net, await signed(net, alice, payment(carol), soon))
    const lasting = await send(net, await signed(net, bob, payment(carol)))
    await net.travel(400)
    expect((await open(net).getTransaction(late.hash)).status).toBe('NOT_FOUND')
    expect((await open(net).getTransaction(lasting.hash)).status).toBe('SUCCESS')
    expect(await xlmOf(net, carol)).toBe('10001')
  })

  it('expires an authorization by its ledger', async () => {
    await using net = await startLocalnet()
    const [alice, bob] = [await net.fund({ USDC: '5' }), await net.fund({ USDC: '5' })]
    const transfer = async (seconds: number) => {
      const call = await clientOf(net, net.usdc.contract, bob)
      const [from, to] = [alice.publicKey(), bob.publicKey()]
      const assembled = await call('transfer', { from, to, amount: 10n })
      const expiration = net.latestLedger.sequence + 12
      await assembled.signAuthEntries({ address: from, expiration, ...signer(net, alice) })
      if (seconds > 0) await net.travel(seconds)
      return statusOf(assembled)
    }
    expect([await transfer(0), await transfer(50), await transfer(65)]).toEqual([
      'SUCCESS',
      'SUCCESS',
      'FAILED',
    ])
  })

  it('archives entries, and a call restores them as after real time', async () => {
    await using net = await startLocalnet()
    const [alice, bob] = [await net.fund(), await net.fund()]
    const token = await net.deploy(tokenWasm, { mode: 0, bell: undefined })
    const call = await clientOf(net, token, alice)
    const minted = await call('mint', { to: alice.publicKey(), amount: 40n })
    expect(await statusOf(minted)).toBe('SUCCESS')
    const stale = await call('transfer', transferTo(alice, bob))
    await net.travel(EIGHT_DAYS)
    expect(await statusOf(stale)).toBe('FAILED')
    const fresh = await call('transfer', transferTo(alice, bob))
    expect(
      fresh.simulationData.transactionData.resources.footprint.readWrite.length,
    ).toBeGreaterThan(3)
    expect(await statusOf(fresh)).toBe('SUCCESS')
    expect((await call('balance', { id: bob.publicKey() })).result).toBe(15n)
  })

  it('leaves ledgers out of which clients notice only in getLedgers', async () => {
    await using net = await startLocalnet()
    const [alice, bob] = [await net.fund(), await net.fund()]
    const start = net.latestLedger.sequence
    const first = await send(net, await signed(net, alice, payment(bob)))
    await net.travel(3 * 3600)
    const second = await send(net, await signed(net, alice, payment(bob)))
    const server = open(net)
    const { transactions } = await server.getTransactions({ startLedger: start })
    expect(transactions.map(({ txHash }) => txHash).slice(-2)).toEqual([first.hash, second.hash])
    const { events } = await server.getEvents({ startLedger: start, filters: [] })
    expect(new Set(events.map(({ txHash }) => txHash))).toContain(second.hash)
    const { ledgers } = await server._getLedgers({
      startLedger: start + 5,
      pagination: { limit: 5 },
    })
    expect(ledgers.map(({ sequence }) => sequence)).toEqual([
      net.latestLedger.sequence - 1,
      net.latestLedger.sequence,
    ])
    expect((await server.getTransaction(first.hash)).status).toBe('SUCCESS')
  })

  it.each([0, -5, 1.5, Number.NaN])('refuses %s seconds', async (seconds) => {
    await using net = await startLocalnet()
    await expect(net.travel(seconds)).rejects.toThrow(RangeError)
  })

  it('refuses to pass the last ledger, and stays where it is', async () => {
    await using net = await startLocalnet()
    const before = [net.latestLedger, Math.floor(net.now() / DAY / 1000)]
    await expect(net.travel(400 * 365 * DAY)).rejects.toThrow(RangeError)
    expect([net.latestLedger, Math.floor(net.now() / DAY / 1000)]).toEqual(before)
  })
})
