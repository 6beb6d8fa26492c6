import { noPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'
import type { TestDatabase } from './postgres.ts'

/** How a test reaches its Postgres; a suite that must hold on both runs once for each. */
export const databaseRoutes = ['directly', 'through PgBouncer'] as const
export type DatabaseRoute = (typeof databaseRoutes)[number]

/** Why a suite with this route is skipped on this machine; undefined when it runs. */
export const missingFor = (route: DatabaseRoute): string | undefined =>
  route === 'directly' ? undefined : noPgBouncer

/**
 * The database, behind a PgBouncer in transaction mode for that route. It has fewer server connections than the
 * stores of a suite open. Disposal ends both.
 */
export async function reachedBy(
  route: DatabaseRoute,
  creating: Promise<TestDatabase>,
): Promise<TestDatabase> {
  const database = await creating
  if (route === 'directly' || noPgBouncer !== undefined) return database
  const bouncer: PgBouncer = await startPgBouncer({ serverUrl: database.url })
  return {
    url: bouncer.through(database.url),
    [Symbol.asyncDispose]: async () => {
      await bouncer[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
