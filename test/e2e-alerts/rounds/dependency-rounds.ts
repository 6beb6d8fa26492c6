import { expect, vi } from 'vitest'
import { administer } from '../../support/postgres-server.ts'
import type { AlertWorld } from '../support/alert-world.ts'
import type { Round } from '../support/round.ts'
import { ofFacilitator, ofNetwork } from './labels.ts'

/** What payments need and does not answer. */
export const dependencyRounds: readonly Round[] = [
  {
    fault: 'the catalog pods have ended',
    alerts: { X402CatalogOutboxStuck: ofFacilitator, X402SearchIndexDegraded: ofFacilitator },
    make: async ({ world, traffic }) => {
      await world.catalog.stop()
      await traffic.declare()
    },
    repair: ({ world }) => world.catalog.start(),
  },
  {
    fault: 'the tables of the catalog are missing, and its pods restart',
    alerts: { X402CatalogUnreadable: ofFacilitator },
    make: async ({ world }) => {
      await administer(world.postgres.url, 'alter table listings rename to listings_away')
      await world.catalog.stop()
      await world.catalog.start()
    },
    check: async ({ world }) => {
      expect(world.catalog.log.join('\n')).toContain('listings')
      expect((await world.facilitator.exec('doctor')).out).not.toBe('')
    },
    repair: ({ world }) =>
      administer(world.postgres.url, 'alter table listings_away rename to listings'),
  },
  {
    fault: 'a table of the search index is missing, and the catalog pods restart',
    alerts: { X402SearchIndexFailed: ofFacilitator },
    make: async ({ world }) => {
      await administer(world.postgres.url, 'alter table asset_facts rename to asset_facts_away')
      await world.catalog.stop()
      await world.catalog.start()
    },
    check: async ({ world }) => {
      expect(world.catalog.log.join('\n')).toContain('asset_facts')
    },
    repair: ({ world }) =>
      administer(world.postgres.url, 'alter table asset_facts_away rename to asset_facts'),
  },
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
      // The transactions of these payments are on the ledger; their answers are lost.
      world.rpc.fail('sendTransaction', { kind: 'lose answer' })
      const paid = traffic.burst(2)
      await vi.waitFor(() => expect(world.rpc.envelopes.length).toBeGreaterThan(0))
      world.rpc.fail('*', { kind: 'hang up' })
      await paid
      await closeLedgers(world)
      world.rpc.heal()
    },
    check: async ({ world }) => {
      const { lines } = await world.facilitator.exec(...unresolvable)
      expect(lines.length).toBeGreaterThan(0)
    },
    // As the runbook says; the ledger has each of them.
    repair: async ({ world }) => {
      world.rpc.heal()
      const { lines } = await world.facilitator.exec(...unresolvable)
      for (const { hash } of lines) {
        const outcome = ['--as', 'expired', '--yes']
        const { code, err } = await world.facilitator.exec(
          'settlements',
          'resolve',
          hash,
          ...outcome,
        )
        expect(code, err).toBe(0)
      }
    },
  },
]

const unresolvable = ['settlements', 'list', '--only', 'unresolvable']

/** More than the RPC keeps. */
async function closeLedgers({ localnet }: AlertWorld): Promise<void> {
  for (let count = 0; count < 100; count += 1) await localnet.closeLedger()
}
