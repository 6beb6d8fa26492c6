import { openStore } from '../../platform/database/open.ts'
import { RoutesDiffer } from '../../platform/database/postgres/route.ts'
import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'
import { SchemaNewer } from '../../platform/database/schema-newer.ts'
import { createLogger } from '../../platform/telemetry/logs/logger.ts'
import { messageOf } from '../../service/process/message-of.ts'
import { leaveTerminationMessage } from '../../service/process/termination-message.ts'
import { loadMigrateConfig, type MigrateConfig } from '../../settings/migrate.ts'
import { command } from '../command-line/command.ts'
import { flag } from '../command-line/flags.ts'

export const migrate = command({
  name: 'migrate',
  summary: 'brings the database schema up to date, then exits',
  usage: ['svc migrate [--check]'],
  flags: { check: flag('writes nothing; exit code 1 when a migration is missing') },
  notes: [
    'Any number of processes may migrate at once: one does the work, the others wait for it.',
    'SIGTERM ends it at once, with exit code 143: all migrations are one transaction, which is undone.',
  ],
  env: [
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE with the path of a file that holds it'],
    ['DATABASE_DIRECT_URL', 'without the connection pooler, if DATABASE_URL has one'],
    ['DATABASE_STATEMENT_TIMEOUT_MS', '10000; more for a migration of large tables'],
    ['LOG_LEVEL', 'info'],
  ],
  exits: {
    0: 'up to date, or migrated by a newer version whose schema this one works with',
    1: 'it is not, or a newer version removed what this one uses, or the database does not answer',
  },
  example: 'svc migrate --check',
  config: (variables) => loadMigrateConfig(variables),
  explain: messageOf(StoreUnavailable, RoutesDiffer, SchemaNewer),
  run: ({ flags, config }) => (flags.check ? checkSchema(config) : runMigrations(config)),
})

async function runMigrations({ logLevel, store: options }: MigrateConfig): Promise<number> {
  const logger = createLogger({ level: logLevel })
  await using store = await openStore(options)
  const migrations = await store.migrate()
  const { unknown } = await store.schemaState()
  if (unknown.length === 0) {
    logger.info({ migrations }, 'Schema is up to date')
    return 0
  }
  const sentence = newerSentence(unknown)
  logger.warn({ unknown }, sentence)
  leaveTerminationMessage(`svc migrate: ${sentence}`)
  return 0
}

const newerSentence = (unknown: readonly string[]): string =>
  `The database has ${unknown.at(-1)} of a newer version, and this version works with its schema: nothing was migrated`

async function checkSchema({ store: options }: MigrateConfig): Promise<number> {
  await using store = await openStore(options)
  const { missing, newer } = await store.schemaState()
  if (newer) throw newer
  if (missing.length === 0) return 0
  process.stderr.write(
    `svc migrate: the schema lacks ${missing.join(', ')}: svc migrate brings it up to date\n`,
  )
  return 1
}
