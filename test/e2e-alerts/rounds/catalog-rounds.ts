import { expect } from 'vitest'
import { administer } from '../../support/postgres-server.ts'
import type { Round } from '../support/round.ts'
import { ofFacilitator } from './labels.ts'

/** None of them needs the operator. */
export const catalogRounds: readonly Round[] = [
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
]
