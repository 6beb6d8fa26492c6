/** The database of a lane of the crash matrix, and what a disaster can do to it. */
import { type CrashPostgres, startCrashPostgres } from './crash-postgres.ts'
import { noPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'
import { startPostgresPair } from './postgres-pair.ts'

export interface DatabaseShape {
  /** Two servers: a kill ends the primary, and the start makes its synchronous standby the primary. */
  readonly isReplicated?: boolean
  /** Behind PgBouncer in transaction mode, with fewer server connections than the facilitators open. */
  readonly isPooled?: boolean
}

export interface CrashDatabase extends CrashPostgres {
  /** Throws when the database has none. */
  readonly pooler: PgBouncer
}

/** Why no database of this shape can run on this machine; undefined when one can. */
export const missingForDatabase = ({ isPooled }: DatabaseShape): string | undefined =>
  isPooled ? noPgBouncer : undefined

export async function startCrashDatabase(shape: DatabaseShape): Promise<CrashDatabase> {
  await using opened = new AsyncDisposableStack()
  const servers = opened.use(
    shape.isReplicated ? await startCrashPair() : await startCrashPostgres(),
  )
  const pooler = shape.isPooled
    ? opened.use(await startPgBouncer({ serverUrl: servers.url }))
    : undefined
  const resources = opened.move()
  return {
    ...servers,
    url: pooler?.through(servers.url) ?? servers.url,
    get pooler() {
      if (!pooler) throw new Error('this database has no pooler')
      return pooler
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function startCrashPair(): Promise<CrashPostgres> {
  const pair = await startPostgresPair()
  const never = () => {
    throw new Error('no disaster freezes one of two servers')
  }
  return {
    url: pair.url,
    kill: pair.killPrimary,
    start: async () => {
      await pair.failOver()
      await pair.addStandby()
    },
    freeze: never,
    thaw: never,
    [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose](),
  }
}
