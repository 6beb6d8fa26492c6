/** Whether the database answers, is the right one, and has room and schema. */

import { countOf } from '../../platform/core/text/count-of.ts'
import type { Route } from '../../platform/database/postgres/route.ts'
import type { TableSize } from '../../platform/database/postgres/table-sizes.ts'
import type { ServiceFacts, StoreFacts } from '../facts/doctor-facts.ts'
import type { Fetched } from '../facts/fetched.ts'
import { known, serviceCheck } from './check.ts'
import type { Finding, ReadProblem } from './problem.ts'
import { someOf } from './words.ts'

/** A settlement queries the store three times; this latency already doubles its duration. */
const SLOW_STORE_MS = 100
/** Claims live 30 s by the store's clock, while this machine's clock times the waits. */
const STORE_CLOCK_OFF_MS = 5_000
const OLDEST_POSTGRES = 15
const MIB = 2 ** 20
/** Smaller tables are only counted. */
const SHOWN_FROM_BYTES = MIB
/** About two and a half million settlements: a backup or an index build begins to take long. */
const LARGE_BYTES = 10 * 1_024 * MIB

const server = ({ store }: ServiceFacts) => store
const AGAIN = 'run the command again'
const DIRECT = 'make DATABASE_DIRECT_URL the address of Postgres itself, for the same database'

/** The problem of a schema that is not that of this version; undefined when it is. */
export function schemaProblem({
  missingMigrations: missing,
  newerSchema,
}: Pick<StoreFacts, 'missingMigrations' | 'newerSchema'>): Finding | undefined {
  if (newerSchema) return newerSchema
  return missing.length === 0
    ? undefined
    : { says: `the schema lacks ${someOf(missing)}`, todo: 'svc migrate brings it up to date' }
}

/** The facts of a server, or undefined where the service keeps everything in memory. */
const serverOrMemory = ({
  config,
  store,
}: ServiceFacts): Fetched<StoreFacts | undefined> | undefined =>
  config.store.kind === 'memory' ? known(undefined) : store

const serverProblems: readonly ReadProblem<StoreFacts | undefined, ServiceFacts>[] = [
  {
    name: 'store-in-memory',
    doctor: 'warning',
    findIn: (facts) =>
      facts
        ? undefined
        : { says: 'STORE=memory forgets every payment at a restart', todo: 'set DATABASE_URL' },
  },
  {
    name: 'postgres-too-old',
    doctor: 'problem',
    findIn: (facts) =>
      facts && Number.parseInt(facts.version, 10) < OLDEST_POSTGRES
        ? {
            says: `Postgres ${facts.version} is older than ${OLDEST_POSTGRES}`,
            todo: `use Postgres ${OLDEST_POSTGRES} or newer`,
          }
        : undefined,
  },
  {
    name: 'store-read-only',
    doctor: 'problem',
    findIn: (facts) =>
      facts?.isReadOnly
        ? {
            says: `Postgres ${facts.version} is read-only, as a standby is`,
            todo: 'make DATABASE_URL lead to the primary, or turn off default_transaction_read_only',
          }
        : undefined,
  },
]

const latency = ({ latencyMs }: StoreFacts): string => `answers in ${latencyMs.toFixed(1)} ms`

/** Both routes to the database, the second where DATABASE_DIRECT_URL is set. */
function routes({ routes: read }: ServiceFacts): Fetched<Routes> | undefined {
  if (!read) return undefined
  const { url, directUrl } = read
  if (!url.ok) return url
  if (directUrl?.ok === false) return { ...directUrl, todo: directUrl.todo ?? DIRECT }
  return known({ url: url.value, direct: directUrl?.value })
}

interface Routes {
  readonly url: Route
  readonly direct: Route | undefined
}

const sizeOf = ({ table, rows, deadRows, bytes, oldest }: TableSize): string => {
  const since = oldest === undefined ? '' : `, since ${oldest.toISOString().slice(0, 10)}`
  return `${table} ${grouped(Math.round(bytes / MIB))} MiB (${grouped(rows)} rows, ${grouped(deadRows)} dead${since})`
}

const grouped = (count: number): string => count.toLocaleString('en-US')

function sizesOf(all: readonly TableSize[]): string {
  const shown = all.filter(({ bytes }) => bytes >= SHOWN_FROM_BYTES)
  const small = all.length - shown.length
  return [
    ...shown.map(sizeOf),
    ...(small > 0 ? [`${countOf(small, 'table')} under 1 MiB`] : []),
  ].join('; ')
}

export const storeChecks = [
  serviceCheck({
    name: 'store',
    by: ['doctor', 'preflight'],
    read: serverOrMemory,
    again:
      'see that the database of DATABASE_URL runs, accepts connections of this user from this machine, and is not full',
    problems: serverProblems,
    ok: (facts) => `Postgres ${facts?.version}`,
  }),
  serviceCheck({
    name: 'store-latency',
    needs: ['store'],
    read: server,
    problems: [
      {
        name: 'store-slow',
        doctor: 'warning',
        findIn: (facts) =>
          facts.latencyMs < SLOW_STORE_MS
            ? undefined
            : {
                says: latency(facts),
                todo: 'run the service near its database; find out whether the database is overloaded',
              },
      },
    ],
    ok: latency,
  }),
  serviceCheck({
    name: 'store-clock',
    needs: ['store'],
    read: server,
    problems: [
      {
        name: 'store-clock-off',
        doctor: 'warning',
        findIn: ({ clockAheadMs }) => {
          if (Math.abs(clockAheadMs) < STORE_CLOCK_OFF_MS) return undefined
          const direction = clockAheadMs > 0 ? 'ahead of' : 'behind'
          const seconds = Math.abs(Math.round(clockAheadMs / 1_000))
          return {
            says: `${seconds} s ${direction} this machine's`,
            todo: 'see that both keep their time by NTP',
          }
        },
      },
    ],
    ok: () => "agrees with this machine's",
  }),
  serviceCheck({
    name: 'store-pooler',
    needs: ['store'],
    read: routes,
    again: AGAIN,
    problems: [
      {
        name: 'pooler-without-direct-url',
        doctor: 'warning',
        findIn: ({ url, direct }) =>
          direct || url.isDirect
            ? undefined
            : {
                says: 'DATABASE_URL passes through a connection pooler: a settlement that waits for a channel learns up to 1 s late that another replica freed one',
                todo: 'set DATABASE_DIRECT_URL to the address of Postgres itself',
              },
      },
      {
        name: 'direct-url-of-another-database',
        doctor: 'problem',
        findIn: ({ url, direct }) =>
          direct && direct.database !== url.database
            ? { says: `DATABASE_DIRECT_URL leads to another one: ${direct.database}`, todo: DIRECT }
            : undefined,
      },
    ],
    ok: ({ direct }) =>
      direct ? 'DATABASE_DIRECT_URL leads to the same database' : 'no pooler in between',
  }),
  serviceCheck({
    name: 'store-timeout',
    needs: ['store'],
    read: server,
    problems: [
      {
        // Postgres applies the time-out of a role to its sessions, also to those of a pooler.
        name: 'statement-timeout-withheld',
        doctor: 'warning',
        findIn: ({ statementTimeoutMs, role }, { config: { store } }) =>
          statementTimeoutMs > 0
            ? undefined
            : {
                says: 'the pooler withholds the statement time-out: Postgres never cancels a statement',
                todo: `alter role "${role}" set statement_timeout = ${store.kind === 'postgres' ? store.statementTimeoutMs : 0}; then restart the pooler`,
              },
      },
    ],
    ok: () => 'Postgres cancels a statement that takes too long',
  }),
  serviceCheck({
    name: 'schema',
    needs: ['store'],
    by: ['doctor', 'preflight'],
    read: server,
    problems: [{ name: 'schema-differs', doctor: 'problem', findIn: schemaProblem }],
    ok: () => 'up to date',
  }),
  serviceCheck({
    name: 'tables',
    needs: ['schema'],
    read: ({ tables }) => tables,
    again: AGAIN,
    problems: [
      {
        name: 'settlements-kept-for-ever',
        doctor: 'warning',
        findIn: (all, { config }) => {
          const settlements = all.find(({ table }) => table === 'settlements')
          const isLarge = settlements !== undefined && settlements.bytes >= LARGE_BYTES
          if (!isLarge || config.settlementRetentionDays !== undefined) return undefined
          return {
            says: sizesOf(all),
            todo: 'set SETTLEMENT_RETENTION_DAYS: without it every settlement is kept',
          }
        },
      },
    ],
    ok: sizesOf,
  }),
]
