import type { Keypair } from '@stellar/stellar-sdk'
import { Asset, Operation } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { apply, build, fund, key, openNetwork } from './harness.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]

describe('history', () => {
  it('keeps as many ledgers as configured, and their transactions', async () => {
    const { net } = openNetwork({ retainLedgers: 3 })
    await fund(net, [alice, bob])
    const pay = Operation.payment({
      destination: bob.publicKey(),
      asset: Asset.native(),
      amount: '1',
    })
    const { hash, ledger } = await apply(net, build(net, { source: alice, operations: [pay] }))
    await net.closeLedger()
    await net.closeLedger()
    expect([net.oldest.sequence, net.transaction(hash)?.ledger]).toEqual([ledger, ledger])
    await net.closeLedger()
    expect(net.oldest.sequence).toBe(ledger + 1)
    expect(net.transaction(hash)).toBeUndefined()
    expect(net.ledger(ledger)).toBeUndefined()
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
