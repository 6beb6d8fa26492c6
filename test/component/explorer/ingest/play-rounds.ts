import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { seededRandom } from '../../../support/crash-random.ts'
import { playIngestRound } from '../../../support/explorer/ingest-round.ts'
import { type RecordedChain, recordChain } from '../../../support/explorer/recorded-chain.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'

const HOUR_MS = 3_600_000

/** A suite of this many rounds over one recorded history, each with another order of faults. */
export const ingestRounds = (rounds: number) =>
  describe('ingest, while processes die and the RPC lies', () => {
    const seed = randomInt(2 ** 31)
    const random = seededRandom(seed)
    let database: TestDatabase
    let store: Store
    let chains: readonly [RecordedChain, RecordedChain]
    beforeAll(async () => {
      database = await freshDatabase()
      store = await openStore({ kind: 'postgres', url: database.url })
      const now = Date.now()
      const before = await recordChain({ ledgers: 170, startMs: now - 60 * HOUR_MS, random })
      const after = await recordChain({ ledgers: 25, startMs: now - 8 * HOUR_MS, random })
      chains = [before, after]
    })
    afterAll(async () => {
      await store.close()
      await database[Symbol.asyncDispose]()
    })

    it.each(Array.from({ length: rounds }, (_, index) => index + 1))(
      'has every payment of the ledgers once, and figures that equal a recount: round %i',
      async () => {
        const options = { store, databaseUrl: database.url, chains, random }
        const { differences, payments } = await playIngestRound(options)
        expect(differences, `seed ${seed}`).toEqual([])
        expect(payments).toBeGreaterThan(0)
      },
      240_000,
    )
  })
