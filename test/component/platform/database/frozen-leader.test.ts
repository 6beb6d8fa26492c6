import { expect, test } from 'vitest'
import { fencedWrites, raiseEpoch } from '../../../../src/payments/store/pools/fence.ts'
import { openStore } from '../../../../src/platform/database/open.ts'
import { databaseRoutes, missingFor, reachedBy } from '../../../support/database-routes.ts'
import { freshDatabase } from '../../../support/postgres.ts'

const name =
  'a leader frozen within a transaction does not block its successor; Postgres is reached %s'
test.for(databaseRoutes)(name, async (route, { skip }) => {
  const missing = missingFor(route)
  if (missing !== undefined) return skip(missing)
  await using database = await reachedBy(route, freshDatabase())
  const open = (statementTimeoutMs: number) =>
    openStore({ kind: 'postgres', url: database.url, poolSize: 1, statementTimeoutMs })
  await using frozen = await open(500)
  await using heir = await open(10_000)
  const term = (epoch: bigint) => ({ name: 'x402/operator', epoch })
  await raiseEpoch(frozen.db, term(1n))
  const thaw = Promise.withResolvers<void>()
  const isWithin = Promise.withResolvers<void>()
  const work = fencedWrites(
    frozen.db,
    term(1n),
  )(async (transaction) => {
    isWithin.resolve()
    await thaw.promise
    await transaction.deleteFrom('channels').execute()
  })
  await isWithin.promise

  await raiseEpoch(heir.db, term(2n))
  thaw.resolve()
  await expect(work).rejects.toThrow(/store unavailable/)
})
