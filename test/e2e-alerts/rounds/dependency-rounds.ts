import { xdr } from '@stellar/stellar-sdk'
import { expect, vi } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/closing/history.ts'
import type { AlertWorld } from '../support/alert-world.ts'
import type { Round } from '../support/round.ts'
import { ofFacilitator, ofNetwork } from './labels.ts'

/** What payments need and does not answer. */
export const dependencyRounds: readonly Round[] = [
  {
    fault: 'the Postgres is killed',
    alerts: { X402StoreDown: ofFacilitator, X402ExplorerNotIngesting: ofFacilitator },
    make: ({ world }) => world.postgres.kill(),
    check: async ({ world }) => {
      const { out, err, code } = await world.facilitator.exec('doctor')
      expect(code).not.toBe(0)
      expect(out + err).toMatch(/database/i)
    },
    repair: ({ world }) => world.postgres.start(),
  },
  {
    fault: 'Stellar RPC refuses connections, and the network goes on',
    alerts: {
      X402RpcFailing: ofNetwork,
      X402SettleErrorsFast: ofFacilitator,
      X402SettleErrorsSlow: ofFacilitator,
      X402ExplorerBehind: ofNetwork,
    },
    make: async ({ world }) => world.rpc.fail('*', { kind: 'hang up' }),
    check: async ({ world }) => {
      const { out, err, code } = await world.facilitator.exec('doctor')
      expect(code).not.toBe(0)
      expect(out + err).toContain(new URL(world.rpc.url).host)
    },
    repair: async ({ world }) => world.rpc.heal(),
  },
  {
    fault: 'Stellar RPC comes back and has lost the ledgers of a payment under way',
    alerts: {
      X402SettlementsUnresolvable: ofNetwork,
      X402ExplorerGaps: ofNetwork,
    },
    make: async ({ world, traffic }) => {
      const { envelopes } = world.rpc
      const before = envelopes.length
      noteTransactions(world)
      // The transactions of these payments are sent; that the ledger has them is not seen.
      world.rpc.fail('getTransaction', { kind: 'hang up' })
      world.rpc.fail('getTransactions', { kind: 'hang up' })
      const paid = traffic.burst(2)
      await vi.waitFor(() => expect(envelopes.length).toBeGreaterThan(before))
      world.rpc.fail('*', { kind: 'hang up' })
      await closeLedgers(world)
      await paid
      world.rpc.heal()
    },
    check: async ({ world }) => {
      const { lines } = await world.facilitator.exec(...unresolvable)
      expect(lines.length).toBeGreaterThan(0)
    },
    // As the runbook says, with the outcomes that a service with the whole history knows.
    repair: async ({ world }) => {
      world.rpc.heal()
      const { lines } = await world.facilitator.exec(...unresolvable)
      for (const { hash } of lines) {
        const { code, err } = await world.facilitator.exec(
          ...['settlements', 'resolve', String(hash), '--yes'],
          ...outcomeOf(String(hash)),
        )
        expect(code, err).toBe(0)
      }
      stopNoting()
    },
  },
]

const unresolvable = ['settlements', 'list', '--only', 'unresolvable']

/** By hash, what the ledger did with each transaction since the fault: a service with the whole history knows it. */
const applied = new Map<string, AppliedTransaction>()
let stopNoting: () => void = () => undefined

function noteTransactions({ localnet }: AlertWorld): void {
  stopNoting = localnet.network.onClose(({ transactions }) => {
    for (const transaction of transactions) applied.set(transaction.hash, transaction)
  })
}

/** More than the RPC keeps. */
async function closeLedgers({ localnet }: AlertWorld): Promise<void> {
  for (let count = 0; count < 100; count += 1) await localnet.closeLedger()
}

/** Options of `svc settlements resolve`. */
function outcomeOf(hash: string): readonly string[] {
  const transaction = applied.get(hash)
  if (!transaction) return ['--as', 'expired']
  const { ledger, successful, resultXdr } = transaction
  const { feeCharged } = xdr.TransactionResult.fromXdr(resultXdr)
  const as = successful ? 'succeeded' : 'failed'
  return ['--as', as, '--ledger', String(ledger), '--fee', String(feeCharged)]
}
