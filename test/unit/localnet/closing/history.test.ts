import type { Keypair } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { Localnet } from '../../../../src/localnet/network.ts'
import { apply, build, fund, key, openNetwork } from '../harness.ts'
import { pay } from '../table/operations.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]

describe('history', () => {
  it('of a network that makes its own genesis begins like that of one that continues from a copy', async () => {
    const { net, clock } = openNetwork()
    const { entries, ledgers } = await new Localnet({ clock }).snapshot()
    expect(await net.snapshot()).toMatchObject({ entries, ledgers })
  })

  it('keeps as many ledgers as configured, and their transactions', async () => {
    const { net } = openNetwork({ retainLedgers: 3 })
    await fund(net, [alice, bob])
    const transaction = build(net, { source: alice, operations: [pay(bob, '1')] })
    const { hash, ledger } = await apply(net, transaction)
    await net.closeLedger()
    await net.closeLedger()
    expect([net.oldest.sequence, net.transaction(hash)?.ledger]).toEqual([ledger, ledger])
    await net.closeLedger()
    expect(net.oldest.sequence).toBe(ledger + 1)
    expect(net.transaction(hash)).toBeUndefined()
    expect(net.ledger(ledger)).toBeUndefined()
  })

  it('goes over ledgers that were left out, also once those before them are gone', async () => {
    const { net } = openNetwork({ retainLedgers: 4 })
    const kept = (from: number) => [...net.ledgersFrom(from)].map(({ sequence }) => sequence)
    await net.closeLedger()
    await net.travel({ ledgers: 100, seconds: 500 })
    await net.travel({ ledgers: 50, seconds: 250 })
    expect([kept(1), kept(3), kept(103)]).toEqual([[1, 2, 102, 152], [102, 152], [152]])
    await net.closeLedger()
    await net.closeLedger()
    expect([net.oldest.sequence, kept(0)]).toEqual([102, [102, 152, 153, 154]])
    await net.closeLedger()
    expect([net.oldest.sequence, kept(0), kept(156)]).toEqual([152, [152, 153, 154, 155], []])
  })

  it('returns the fees of the newest ledgers first', async () => {
    const { net } = openNetwork()
    await fund(net, [alice, bob])
    await net.closeLedger()
    expect(net.recentFees(2)).toEqual([
      { classic: [], soroban: [] },
      { classic: [100n, 100n], soroban: [] },
    ])
    expect(net.recentFees(100)).toHaveLength(3)
  })

  it('calls listeners after each close, until they unsubscribe', async () => {
    const { net } = openNetwork()
    const closed: number[] = []
    const stop = net.onClose(({ sequence }) => closed.push(sequence))
    await Promise.all([net.closeLedger(), net.closeLedger()])
    stop()
    await net.closeLedger()
    expect(closed).toEqual([2, 3])
  })

  it('refuses to keep no ledger', () => {
    expect(() => openNetwork({ retainLedgers: 0 })).toThrow(RangeError)
  })
})
