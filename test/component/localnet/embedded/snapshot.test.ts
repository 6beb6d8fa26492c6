/** Snapshots under running clients: whatever happened since, a restore brings the ledger back. */
import { type Keypair, Networks, xdr } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type LedgerSnapshot,
  SnapshotMismatch,
  startLocalnet,
} from '../../../../src/package/localnet.ts'
import { callRpc } from '../test-network.ts'
import { clientOf, payment, send, signed, statusOf, tokenWasm, xlmOf } from './support.ts'

const accountKey = (key: Keypair) =>
  xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: key.xdrAccountId() })).toXdr('base64')

/** A network with two accounts, and a token of which one of them has some. */
async function createWorld() {
  const net = await startLocalnet()
  const [alice, bob] = [await net.fund({ USDC: '50' }), await net.fund()]
  const token = await net.deploy(tokenWasm, { mode: 0, bell: undefined })
  const call = await clientOf(net, token, alice)
  const mint = async (amount: bigint) =>
    statusOf(await call('mint', { to: alice.publicKey(), amount }))
  expect(await mint(40n)).toBe('SUCCESS')
  const read = async (method: string, params = {}) =>
    (await callRpc(net.rpcUrl, method, params)).result
  /** What clients read: ledger, accounts, storage of the token, history. */
  const view = async () => ({
    latest: net.latestLedger,
    ledger: await read('getLatestLedger'),
    accounts: await read('getLedgerEntries', { keys: [alice, bob].map(accountKey) }),
    balance: (await call('balance', { id: alice.publicKey() })).result,
    transactions: await read('getTransactions', { startLedger: 1 }),
    events: await read('getEvents', { startLedger: 1, filters: [] }),
    fees: await read('getFeeStats'),
  })
  return { net, alice, bob, mint, view, [Symbol.asyncDispose]: () => net.close() }
}
type World = Awaited<ReturnType<typeof createWorld>>

type Step = (world: World) => Promise<unknown>

/** Shown by name when a run fails. */
const steps: Readonly<Record<string, Step>> = {
  pay: async ({ net, alice, bob }) => send(net, await signed(net, alice, payment(bob))),
  fund: ({ net, bob }) => net.fund(bob, { USDC: '1' }),
  create: ({ net }) => net.fund(),
  mint: ({ mint }) => mint(1n),
  close: ({ net }) => net.closeLedger(),
  hour: ({ net }) => net.travel(3600),
  month: ({ net }) => net.travel(30 * 86_400),
  deploy: ({ net }) => net.deploy(tokenWasm, { mode: 0, bell: undefined }),
}

describe('a snapshot', () => {
  it('is what clients read after a restore, whatever happened in between, nested and repeatedly', async () => {
    await using world = await createWorld()
    const { net, view } = world
    interface Taken {
      readonly snapshot: LedgerSnapshot
      readonly view: Awaited<ReturnType<World['view']>>
    }
    const taken: Taken[] = [{ snapshot: await net.snapshot(), view: await view() }]
    const moves = fc.array(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...Object.keys(steps)) },
        { weight: 1, arbitrary: fc.constant('snapshot') },
        { weight: 2, arbitrary: fc.nat({ max: 50 }) },
      ),
      { minLength: 1, maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(moves, async (run) => {
        for (const move of run) {
          const kept = typeof move === 'number' ? taken[move % taken.length] : undefined
          if (kept) {
            await net.restore(kept.snapshot)
            expect(await view()).toEqual(kept.view)
          }
          if (move === 'snapshot')
            taken.push({ snapshot: await net.snapshot(), view: await view() })
          else if (typeof move === 'string') await steps[move]?.(world)
        }
      }),
      { numRuns: 25, seed: 20_261_123 },
    )
    expect(taken.length).toBeGreaterThan(3)
  })

  it('has the same results for the same transaction after each restore', async () => {
    await using net = await startLocalnet({ closing: 'manual' })
    const [alice, bob] = [await net.fund(), await net.fund()]
    // Each ledger is a second after the one before: close times, which the meta has, no longer depend on the clock.
    for (let ledger = 0; ledger < 1_000; ledger++) await net.closeLedger()
    const snapshot = await net.snapshot()
    const transaction = await signed(net, alice, payment(bob))
    const metas: unknown[] = []
    for (let round = 0; round < 3; round++) {
      const { hash } = await send(net, transaction)
      await net.closeLedger()
      const { result } = await callRpc(net.rpcUrl, 'getTransaction', { hash })
      expect(result).toMatchObject({ status: 'SUCCESS' })
      metas.push(result?.['resultMetaXdr'])
      await net.travel(100)
      await net.restore(snapshot)
    }
    expect(metas[0]).toEqual(expect.any(String))
    expect(new Set(metas).size).toBe(1)
  })

  it('takes back the time that was travelled', async () => {
    await using net = await startLocalnet()
    const travelled = await net.travel(1000)
    const snapshot = await net.snapshot()
    await net.travel(86_400)
    await net.restore(snapshot)
    expect(net.latestLedger).toEqual(travelled)
    expect(net.now() / 1000).toBeLessThan(travelled.closeTime + 86_400)
    expect((await net.closeLedger()).sequence).toBe(travelled.sequence + 1)
  })

  it('has no transactions that wait', async () => {
    await using net = await startLocalnet({ closing: 'manual' })
    const [alice, bob] = [await net.fund(), await net.fund()]
    await send(net, await signed(net, alice, payment(bob)))
    await net.restore(await net.snapshot())
    await net.closeLedger()
    expect(await xlmOf(net, bob)).toBe('10000')
  })

  it('lets a timer close ledgers after travelled time was taken back', async () => {
    await using net = await startLocalnet({ closing: { everyMs: 20 } })
    const snapshot = await net.snapshot()
    await net.travel(86_400)
    await net.restore(snapshot)
    await expect.poll(() => net.latestLedger.sequence).toBeGreaterThan(snapshot.sequence + 2)
    expect(net.latestLedger.closeTime).toBeLessThan(snapshot.closeTime + 86_400)
  })

  it('of one network is a start for another, unless their passphrases differ', async () => {
    await using net = await startLocalnet()
    const alice = await net.fund({ XLM: '12' })
    const snapshot = await net.snapshot()
    await using other = await startLocalnet()
    await other.restore(snapshot)
    expect([await xlmOf(other, alice), other.latestLedger]).toEqual(['12', net.latestLedger])
    await other.fund(alice, { XLM: '1' })
    expect([await xlmOf(net, alice), await xlmOf(other, alice)]).toEqual(['12', '13'])
    await using pubnet = await startLocalnet({ networkPassphrase: Networks.PUBLIC })
    await expect(pubnet.restore(snapshot)).rejects.toThrow(SnapshotMismatch)
    const copy = { ...snapshot }
    await expect(net.restore(copy)).rejects.toThrow(TypeError)
  })
})
