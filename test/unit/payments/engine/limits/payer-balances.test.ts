import { nativeToScVal } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { PayerBalances } from '../../../../../src/payments/engine/limits/payers/payer-balances.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { Simulation } from '../../../../../src/stellar/rpc/rpc.ts'
import { asset, payer } from '../../protocol/payment-builder.ts'

const held = { payer, asset }

/** An endpoint whose simulations wait until the test answers them. */
function endpoint() {
  const waiting: ((simulation: Simulation) => void)[] = []
  let asked = 0
  return {
    rpc: {
      simulate: () => {
        asked += 1
        const { promise, resolve } = Promise.withResolvers<Simulation>()
        waiting.push(resolve)
        return promise
      },
    },
    get asked() {
      return asked
    },
    answer(amount: bigint, latestLedger: number) {
      const returnValueXdr = nativeToScVal(amount, { type: 'i128' }).toXdr('base64')
      waiting.shift()?.({
        kind: 'ok',
        latestLedger,
        minResourceFee: asStroops(1n),
        transactionData: '',
        returnValueXdr,
        events: [],
        output: { emittedBytes: 0, dataEntryBytes: 0, codeEntryBytes: 0 },
        needsRestore: false,
      })
    },
    fail(latestLedger: number) {
      waiting.shift()?.({ kind: 'failed', latestLedger, error: 'no trustline', events: [] })
    },
  }
}

describe('PayerBalances', () => {
  it('shares one read between requests that come together, and serves the ledger from memory', async () => {
    const network = endpoint()
    const balances = new PayerBalances(network.rpc)
    const reads = Promise.all([balances.read(held, 7), balances.read(held, 7)])
    network.answer(500n, 7)
    expect(await reads).toEqual([
      { amount: 500n, ledger: 7 },
      { amount: 500n, ledger: 7 },
    ])
    expect(await balances.read(held, 6)).toEqual({ amount: 500n, ledger: 7 })
    expect(network.asked).toBe(1)
  })

  it('reads again for a later ledger', async () => {
    const network = endpoint()
    const balances = new PayerBalances(network.rpc)
    const first = balances.read(held, 7)
    network.answer(500n, 7)
    await first
    const second = balances.read(held, 8)
    network.answer(400n, 8)
    expect(await second).toEqual({ amount: 400n, ledger: 8 })
    expect(network.asked).toBe(2)
  })

  it('reads again when a read that had begun is of an earlier ledger', async () => {
    const network = endpoint()
    const balances = new PayerBalances(network.rpc)
    const early = balances.read(held, 7)
    const late = balances.read(held, 8)
    network.answer(500n, 7)
    await early
    network.answer(400n, 8)
    expect(await late).toEqual({ amount: 400n, ledger: 8 })
  })

  it('takes a contract that does not answer for an empty balance', async () => {
    const network = endpoint()
    const read = new PayerBalances(network.rpc).read(held, 7)
    network.fail(7)
    expect(await read).toEqual({ amount: 0n, ledger: 7 })
  })

  it('remembers the last ledger in which a payer paid, for some ledgers', () => {
    const balances = new PayerBalances(endpoint().rpc)
    expect(balances.paidOn(payer)).toBe(0)
    balances.notePaid(payer, 7)
    balances.notePaid(payer, 6)
    expect(balances.paidOn(payer)).toBe(7)
    balances.notePaid('another', 17)
    expect(balances.paidOn(payer)).toBe(0)
    expect(balances.paidOn('another')).toBe(17)
  })
})
