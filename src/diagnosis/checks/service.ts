/** The checks that are made once, whatever networks are served. */
import {
  type ApiKeyEntry,
  type ApiKeyState,
  stateOfApiKey,
} from '../../platform/core/api-key-entry.ts'
import type { SecretFile, ServiceFacts, StoreFacts } from '../facts/facts.ts'
import type { CheckName } from './check-names.ts'
import { countOf, type Diagnosis, ok, problem, someOf, warning } from './diagnosis.ts'
import { poolerChecks } from './pooler.ts'
import { checkFetched, type DoctorCheck } from './run-checks.ts'
import { tables } from './tables.ts'

/** A settlement queries the store three times; this latency already doubles its duration. */
const SLOW_STORE_MS = 100
/** Claims live 30 s by the store's clock, while this machine's clock times the waits. */
const STORE_CLOCK_OFF_MS = 5_000
const OLDEST_POSTGRES = 15
const OTHERS_MAY_READ = 0o004
const OTHERS_MAY_WRITE = 0o002

type ServiceCheck = DoctorCheck<CheckName, ServiceFacts>

const configuration: ServiceCheck = {
  name: 'configuration',
  run: ({ config }) => ok(`valid, for ${config.networks.map(({ id }) => id).join(', ')}`),
}

const secretFiles: ServiceCheck = {
  name: 'secret-files',
  run: ({ secretFiles: files }) => {
    const all = (bit: number) => files.filter(({ mode }) => (mode & bit) !== 0)
    const written = all(OTHERS_MAY_WRITE)
    if (written.length > 0) {
      return problem(
        `every user of this machine may write ${namesOf(written)}`,
        `chmod 600 ${pathsOf(written)}`,
      )
    }
    const readable = all(OTHERS_MAY_READ).filter(({ isSecret }) => isSecret)
    if (readable.length > 0) {
      return warning(
        `every user of this machine may read ${namesOf(readable)}`,
        `chmod 600 ${pathsOf(readable)}`,
      )
    }
    return ok(files.length === 0 ? 'none in use' : `${countOf(files.length, 'file')}, private`)
  },
}

const namesOf = (files: readonly SecretFile[]): string =>
  files.map(({ variable }) => variable).join(', ')
const pathsOf = (files: readonly SecretFile[]): string => files.map(({ path }) => path).join(' ')

/**
 * A network that requires keys where none is configured passes the configuration only with an empty file of digests. All of
 * its keys may have ended, too.
 */
const apiKeys: ServiceCheck = {
  name: 'api-keys',
  run: ({ config: { networks, apiKeys: keys }, now }) => {
    const open = networks.filter(({ requireApiKey }) => !requireApiKey).map(({ id }) => id)
    if (open.includes('stellar:pubnet')) {
      return warning(
        'anyone may spend XLM of the sponsor of stellar:pubnet',
        'set PUBNET_REQUIRE_API_KEY=true, or MAX_SPONSOR_SPEND_XLM_PER_HOUR to what you can lose',
      )
    }
    const { valid = 0, ...others } = countsByState(keys.entries, now)
    if (valid === 0 && open.length < networks.length) {
      const closed = networks.filter(({ requireApiKey }) => requireApiKey).map(({ id }) => id)
      const what = keys.entries.length === 0 ? 'no key is configured' : 'no configured key is valid'
      return warning(
        `${what}, so every payment is refused on ${closed.join(', ')}`,
        'add the entry of svc keys new to the file of API_KEY_SHA256_FILE',
      )
    }
    const configured = [
      `${countOf(keys.entries.length, 'key')} configured`,
      ...(others.notYet ? [`${others.notYet} not valid yet`] : []),
      ...(others.ended ? [`${others.ended} ended`] : []),
    ].join(', ')
    return ok(open.length === 0 ? configured : `${configured}, not required on ${open.join(', ')}`)
  },
}

const countsByState = (
  entries: readonly ApiKeyEntry[],
  now: number,
): Partial<Record<ApiKeyState, number>> =>
  Object.fromEntries(
    [...Map.groupBy(entries, (entry) => stateOfApiKey(entry, now))].map(([state, those]) => [
      state,
      those.length,
    ]),
  )

const store: ServiceCheck = {
  name: 'store',
  run: ({ config, store: fetched }) => {
    if (config.store.kind === 'memory') {
      return warning('STORE=memory forgets every payment at a restart', 'set DATABASE_URL')
    }
    return checkFetched(
      fetched,
      'see that the database of DATABASE_URL runs, accepts connections of this user from this machine, and is not full',
      checkServer,
    )
  },
}

function checkServer({ version, isReadOnly }: StoreFacts): Diagnosis {
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES) {
    return problem(
      `Postgres ${version} is older than ${OLDEST_POSTGRES}`,
      `use Postgres ${OLDEST_POSTGRES} or newer`,
    )
  }
  if (isReadOnly) {
    return problem(
      `Postgres ${version} is read-only, as a standby is`,
      'make DATABASE_URL lead to the primary, or turn off default_transaction_read_only',
    )
  }
  return ok(`Postgres ${version}`)
}

const storeLatency: ServiceCheck = {
  name: 'store-latency',
  needs: ['store'],
  run: ({ store: fetched }) =>
    checkFetched(fetched, '', ({ latencyMs }) => {
      const says = `answers in ${latencyMs.toFixed(1)} ms`
      if (latencyMs < SLOW_STORE_MS) return ok(says)
      return warning(
        says,
        'run the service near its database; find out whether the database is overloaded',
      )
    }),
}

const storeClock: ServiceCheck = {
  name: 'store-clock',
  needs: ['store'],
  run: ({ store: fetched }) =>
    checkFetched(fetched, '', ({ clockAheadMs }) => {
      if (Math.abs(clockAheadMs) < STORE_CLOCK_OFF_MS) return ok("agrees with this machine's")
      const direction = clockAheadMs > 0 ? 'ahead of' : 'behind'
      const seconds = Math.abs(Math.round(clockAheadMs / 1_000))
      return warning(
        `${seconds} s ${direction} this machine's`,
        'see that both keep their time by NTP',
      )
    }),
}

const schema: ServiceCheck = {
  name: 'schema',
  needs: ['store'],
  run: ({ store: fetched }) =>
    checkFetched(fetched, '', ({ missingMigrations: missing, newerSchema }) => {
      if (newerSchema) return problem(newerSchema.says, newerSchema.todo)
      if (missing.length === 0) return ok('up to date')
      return problem(`lacks ${someOf(missing)}`, 'svc migrate')
    }),
}

/** In the order of the output; a check can need only earlier ones. */
export const serviceChecks: readonly ServiceCheck[] = [
  configuration,
  secretFiles,
  apiKeys,
  store,
  storeLatency,
  storeClock,
  ...poolerChecks,
  schema,
  tables,
]
