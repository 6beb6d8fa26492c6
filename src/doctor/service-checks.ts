/** What is asked once, whatever networks are served. */
import type { CheckName } from './check-names.ts'
import { type Check, judging } from './examine.ts'
import type { SecretFile, ServiceFacts } from './facts.ts'
import { countOf, ok, problem, someOf, type Verdict, warning } from './verdict.ts'

/** A settlement asks the store three times; this much already doubles the time it takes. */
const SLOW_STORE_MS = 100
/** Claims live 30 s by the store's clock, waits run by this machine's. */
const STORE_CLOCK_OFF_MS = 5_000
const OLDEST_POSTGRES = 15
const OTHERS_MAY_READ = 0o004
const OTHERS_MAY_WRITE = 0o002

type ServiceCheck = Check<CheckName, ServiceFacts>

const configuration: ServiceCheck = {
  name: 'configuration',
  judge: ({ config }) => ok(`valid, for ${config.networks.map(({ id }) => id).join(', ')}`),
}

const secretFiles: ServiceCheck = {
  name: 'secret-files',
  judge: ({ secretFiles: files }) => {
    const all = (bit: number) => files.filter(({ mode }) => (mode & bit) !== 0)
    const written = all(OTHERS_MAY_WRITE)
    if (written.length > 0) {
      return problem(`anybody may write ${namesOf(written)}`, `chmod 600 ${pathsOf(written)}`)
    }
    const readable = all(OTHERS_MAY_READ).filter(({ isSecret }) => isSecret)
    if (readable.length > 0) {
      return warning(`anybody may read ${namesOf(readable)}`, `chmod 600 ${pathsOf(readable)}`)
    }
    return ok(files.length === 0 ? 'none in use' : `${countOf(files.length, 'file')}, kept private`)
  },
}

const namesOf = (files: readonly SecretFile[]): string =>
  files.map(({ variable }) => variable).join(', ')
const pathsOf = (files: readonly SecretFile[]): string => files.map(({ path }) => path).join(' ')

/** That a network asks for keys and none is known is a problem of the configuration already. */
const apiKeys: ServiceCheck = {
  name: 'api-keys',
  judge: ({ config: { networks, apiKeys: keys } }) => {
    const open = networks.filter(({ requireApiKey }) => !requireApiKey).map(({ id }) => id)
    if (open.includes('stellar:pubnet')) {
      return warning(
        'anybody may spend the sponsor of stellar:pubnet',
        'set PUBNET_REQUIRE_API_KEY=true, or a MAX_SPONSOR_SPEND_XLM_PER_HOUR that you can lose',
      )
    }
    const known = `${countOf(keys.digests.length, 'key')} known`
    return ok(open.length === 0 ? known : `${known}, not asked for on ${open.join(', ')}`)
  },
}

const store: ServiceCheck = {
  name: 'store',
  judge: ({ config, store: reading }) => {
    if (config.store.kind === 'memory') {
      return warning('STORE=memory forgets every payment at a restart', 'set DATABASE_URL')
    }
    return judging(
      reading,
      'see that the database of DATABASE_URL runs, lets this machine and user in, and is not full',
      ({ version }) => judgeVersion(version),
    )
  },
}

const judgeVersion = (version: string): Verdict =>
  Number.parseInt(version, 10) >= OLDEST_POSTGRES
    ? ok(`Postgres ${version}`)
    : problem(
        `Postgres ${version} is older than ${OLDEST_POSTGRES}`,
        `use Postgres ${OLDEST_POSTGRES} or newer`,
      )

const storeLatency: ServiceCheck = {
  name: 'store-latency',
  needs: ['store'],
  judge: ({ store: reading }) =>
    judging(reading, '', ({ latencyMs }) => {
      const says = `answers in ${latencyMs.toFixed(1)} ms`
      if (latencyMs < SLOW_STORE_MS) return ok(says)
      return warning(says, 'run the service near its database; see whether that is overloaded')
    }),
}

const storeClock: ServiceCheck = {
  name: 'store-clock',
  needs: ['store'],
  judge: ({ store: reading }) =>
    judging(reading, '', ({ clockAheadMs }) => {
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
  judge: ({ store: reading }) =>
    judging(reading, '', ({ missingMigrations: missing }) => {
      if (missing.length === 0) return ok('up to date')
      return problem(`lacks ${someOf(missing)}`, 'npx svc migrate')
    }),
}

/** Order is what the reader sees, and `needs` looks back only. */
export const serviceChecks: readonly ServiceCheck[] = [
  configuration,
  secretFiles,
  apiKeys,
  store,
  storeLatency,
  storeClock,
  schema,
]
