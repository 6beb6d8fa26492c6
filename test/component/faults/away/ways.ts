/** The ways in which a real Postgres can be away, and how a test provokes each. */
import pg from 'pg'
import { expect, vi } from 'vitest'
import { administer } from '../../../support/postgres-server.ts'
import { type AwayWorld, DATABASE, PASSWORD, ROLE } from './world.ts'

export interface Way {
  readonly when: string
  /** Code and message of what a statement meets meanwhile. */
  readonly cause: RegExp
  /** Takes the database away, asks, and gives it back. */
  readonly during: (world: AwayWorld, ask: () => Promise<void>) => Promise<void>
  /** Reads are answered. */
  readonly onlyWrites?: true
  /** Over within milliseconds: requests that waited for a connection may be answered. */
  readonly isBrief?: true
}

const PATIENCE = { timeout: 120_000, interval: 10 }

/** Changes something that Postgres looks at when a connection is opened, and ends those that are open. */
const refusing =
  (change: string, back: string): Way['during'] =>
  async (world, ask) => {
    const { admin } = world
    await admin(change)
    try {
      await admin(endAll)
      await untilAllEnded(world)
      await ask()
    } finally {
      await admin(back)
    }
  }

const untilAllEnded = ({ stack }: AwayWorld) =>
  vi.waitFor(() => expect(stack.store.connections()).toMatchObject({ inUse: 0, idle: 0 }), PATIENCE)

const endAll = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${ROLE}'`

export const ways: readonly Way[] = [
  {
    when: 'the database allows no connections',
    cause: /^55000 database "svc" is not currently accepting connections$/,
    during: refusing(
      `alter database ${DATABASE} allow_connections false`,
      `alter database ${DATABASE} allow_connections true`,
    ),
  },
  {
    when: 'the database is renamed, as before it is restored',
    cause: /^3D000 database "svc" does not exist$/,
    during: async (world, ask) => {
      const { admin } = world
      await admin(`alter database ${DATABASE} allow_connections false`)
      await admin(endAll)
      await vi.waitFor(() => admin(`alter database ${DATABASE} rename to gone`), PATIENCE)
      await untilAllEnded(world)
      try {
        await ask()
      } finally {
        await admin(`alter database gone rename to ${DATABASE}`)
        await admin(`alter database ${DATABASE} allow_connections true`)
      }
    },
  },
  {
    when: 'the password has changed',
    cause: /^28P01 password authentication failed/,
    during: refusing(
      `alter role ${ROLE} password 'other'`,
      `alter role ${ROLE} password '${PASSWORD}'`,
    ),
  },
  {
    when: 'the role may not log in',
    cause: /^28000 role "app" is not permitted to log in$/,
    during: refusing(`alter role ${ROLE} nologin`, `alter role ${ROLE} login`),
  },
  {
    when: 'the role may not connect to the database',
    cause: /^42501 permission denied for database "svc"$/,
    during: refusing(
      `revoke connect on database ${DATABASE} from public`,
      `grant connect on database ${DATABASE} to public`,
    ),
  },
  {
    when: 'there are too many connections',
    cause: /^53300 too many connections for database "svc"$/,
    during: refusing(
      `alter database ${DATABASE} connection limit 0`,
      `alter database ${DATABASE} connection limit -1`,
    ),
  },
  {
    when: 'it is read-only, as a standby is',
    cause: /^25006 cannot execute INSERT in a read-only transaction$/,
    onlyWrites: true,
    during: refusing(
      `alter database ${DATABASE} set default_transaction_read_only = on`,
      `alter database ${DATABASE} reset default_transaction_read_only`,
    ),
  },
  {
    when: 'statements wait for a lock for too long, and others for a connection',
    cause: /^(57014 canceling statement due to statement timeout| timeout exceeded when trying)/,
    during: async (world, ask) => {
      await using _lock = await lockTables(world)
      await ask()
    },
  },
  {
    when: 'an administrator ends every connection in the middle of its statement',
    cause: /^57P01 terminating connection due to administrator command$/,
    during: async (world, ask) => {
      await using _lock = await lockTables(world)
      let isAsking = true
      const asking = ask().finally(() => {
        isAsking = false
      })
      // Those that wait for a connection meet the same, one after the other.
      while (isAsking) await world.admin(`${endAll} and wait_event_type = 'Lock'`)
      await asking
    },
  },
  {
    when: 'a process of the server crashes, and the server ends all others',
    isBrief: true,
    cause:
      /^(57P02 terminating connection|57P03 the database system is|\w* ?Connection terminated)/,
    during: async (world, ask) => {
      await using lock = await lockTables(world)
      const asking = ask()
      await lock.isWaitedFor()
      process.kill(lock.pid, 'SIGKILL')
      await asking
    },
  },
  {
    when: 'the server stops',
    cause: /^57P03 the database system is shutting down$/,
    during: async (world, ask) => {
      const { server, admin, superUrl } = world
      const client = await connected(superUrl)
      await server.beginStop()
      await client.query(endAll)
      await vi.waitFor(async () => {
        const refused = await admin('select 1').then(
          () => false,
          () => true,
        )
        if (!refused) throw new Error('the server still accepts connections')
      }, PATIENCE)
      await untilAllEnded(world)
      try {
        await ask()
      } finally {
        await client.end()
        await server.stop()
        await server.start()
      }
    },
  },
  {
    when: 'nothing listens',
    cause: /^ECONNREFUSED /,
    during: async ({ server, door }, ask) => {
      await server.stop()
      await door.close()
      try {
        await ask()
      } finally {
        await server.start()
        await door.open()
      }
    },
  },
  {
    when: 'the server behind a balancer is stopped',
    cause: /^ Connection terminated unexpectedly$/,
    during: async ({ server }, ask) => {
      await server.stop()
      try {
        await ask()
      } finally {
        await server.start()
      }
    },
  },
  {
    when: 'connections are reset',
    cause: /^ECONNRESET /,
    during: async ({ door }, ask) => {
      door.reset()
      try {
        await ask()
      } finally {
        await door.open()
      }
    },
  },
  {
    when: 'the server hangs',
    cause: /^ (Query read timeout|timeout e|Connection terminated due to connection timeout)/,
    during: async ({ server }, ask) => {
      const goOn = await server.freeze()
      try {
        await ask()
      } finally {
        goOn()
      }
    },
  },
]

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

interface Lock extends AsyncDisposable {
  /** Of the server process that holds it. */
  readonly pid: number
  /** Resolves when as many statements wait as the pool has connections. */
  isWaitedFor(): Promise<void>
}

/** Locks every table, so that every statement waits until this is disposed. */
async function lockTables({ superUrl, poolSize }: AwayWorld): Promise<Lock> {
  const client = await connected(superUrl)
  const { rows } = await client.query<{ tables: string; pid: number }>(
    `select pg_backend_pid() as pid, string_agg(quote_ident(tablename), ', ') as tables
      from pg_tables where schemaname = 'public'`,
  )
  const { tables = '', pid = 0 } = rows[0] ?? {}
  await client.query(`begin; lock table ${tables} in access exclusive mode`)
  const waiting = `select 1 / (count(*) >= ${poolSize})::int from pg_stat_activity
    where usename = '${ROLE}' and wait_event_type = 'Lock'`
  return {
    pid,
    isWaitedFor: () => vi.waitFor(() => administer(superUrl, waiting), PATIENCE),
    [Symbol.asyncDispose]: () => client.end().catch(() => undefined),
  }
}
