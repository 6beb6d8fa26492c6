import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Problem } from '../parser/config-error.ts'
import type { ParsedSettings, SettingsOf } from '../parser/settings.ts'
import { boolean, integer, isHttpUrl, optionalInteger, optionalList } from '../parser/values.ts'
import type { ExplorerNetwork } from './explorer-network.ts'
import { postgresUrl, type storeSettings, urlProblems } from './store-settings.ts'

/** The explorer of all x402 payments of the networks. */
export interface ExplorerConfig {
  /** Of the API and the pages; 0 takes any free port. */
  readonly port: number
  /** Of a read replica of the store, which the API and the pages read; undefined: they read the store itself. */
  readonly readUrl: string | undefined
  /** Database connections of one process for the API and the pages, beside those for payments. */
  readonly readPoolSize: number
  /** Requests that one client address may send to one process in a minute; 0 is no limit. */
  readonly rateLimitPerMinute: number
  /** Base URLs of other facilitators. */
  readonly registry: readonly string[]
  /** Whether announced facilitators on this machine are asked: for development only. */
  readonly allowLoopback: boolean
  /** Payments that are this many days old are deleted, the totals stay; undefined: none is. */
  readonly retentionDays: number | undefined
  /** How many of the ledgers before its first start the explorer reads at most; undefined: all that are retained. */
  readonly backfillLedgers: number | undefined
  /** In the order of `NETWORKS`; never empty. */
  readonly networks: readonly ExplorerNetwork[]
}

export const explorerSettings = {
  EXPLORER_PORT: {
    help: 'Port of the explorer, of `svc explorer` too; 0 takes any free port.',
    ...integer(0, 65_535, 8_081),
  },
  EXPLORER_DATABASE_URL: {
    help: 'URL of a read replica of the database, from which the API and the pages of the explorer read. What it reads from the ledger is written to `DATABASE_URL`.',
    secret: true,
    schema: postgresUrl,
    fallback: '`DATABASE_URL`',
    range: 'a postgres:// URL',
  },
  EXPLORER_DATABASE_POOL_SIZE: {
    help: 'Maximum database connections of one process for the API and the pages of the explorer. They are not part of `DATABASE_POOL_SIZE`, so that they take none from payments.',
    ...integer(1, 1_000, 5),
  },
  EXPLORER_RATE_LIMIT_PER_MINUTE: {
    help: 'Requests to the explorer that one client address may send in a minute, to each process; 0 is no limit.',
    ...integer(0, 1_000_000, 600),
  },
  FACILITATOR_REGISTRY: {
    help: 'Base URLs of other facilitators, comma-separated; the explorer shows which payments are theirs. It learns of further ones through `POST /announce`.',
    ...optionalList('http(s) URLs', isHttpUrl),
  },
  EXPLORER_ALLOW_LOOPBACK: {
    help: 'Whether the explorer may call announced facilitators on this machine: for development only, refused with pubnet.',
    ...boolean(false),
  },
  EXPLORER_RETENTION_DAYS: {
    help: 'Payments older than this many days are deleted from the explorer, a month at a time; totals and time series keep them.',
    ...optionalInteger(31, 36_500, 'all are kept'),
  },
  EXPLORER_BACKFILL_LEDGERS: {
    help: 'How many of the ledgers before its first start the explorer reads at most; 0 reads none of them.',
    ...optionalInteger(0, 100_000_000, 'all that an endpoint retains'),
  },
}
type ExplorerTable = typeof explorerSettings

export const explorerConfig = (
  settings: SettingsOf<ExplorerTable>,
  networks: readonly ExplorerNetwork[],
): ExplorerConfig => ({
  port: settings.EXPLORER_PORT,
  readUrl: settings.EXPLORER_DATABASE_URL,
  readPoolSize: settings.EXPLORER_DATABASE_POOL_SIZE,
  rateLimitPerMinute: settings.EXPLORER_RATE_LIMIT_PER_MINUTE,
  registry: settings.FACILITATOR_REGISTRY,
  allowLoopback: settings.EXPLORER_ALLOW_LOOPBACK,
  retentionDays: settings.EXPLORER_RETENTION_DAYS,
  backfillLedgers: settings.EXPLORER_BACKFILL_LEDGERS,
  networks,
})

/** Problems between these settings, with the store and with the networks. */
export function explorerProblems(
  { settings, variable }: ParsedSettings<ExplorerTable & typeof storeSettings>,
  networks: readonly NetworkId[],
): Problem[] {
  const { EXPLORER_DATABASE_URL: url, DATABASE_CA: ca } = settings
  const found = urlProblems({ variable: variable('EXPLORER_DATABASE_URL'), url, ca })
  if (settings.STORE === 'memory' && settings.EXPLORER_DATABASE_URL !== undefined) {
    found.push({
      variable: variable('EXPLORER_DATABASE_URL'),
      message: 'is set with STORE=memory, which has no replica: unset it',
    })
  }
  if (settings.EXPLORER_ALLOW_LOOPBACK && networks.includes('stellar:pubnet')) {
    found.push({
      variable: 'EXPLORER_ALLOW_LOOPBACK',
      message:
        'must not be true with stellar:pubnet: anyone could make this service call servers on this machine',
    })
  }
  return found
}
