import { parseArgs } from 'node:util'
import { loadMigrateConfig, type MigrateConfig } from '../config/migrate.ts'
import { openStore, type Store, type StoreOptions } from '../store/open.ts'
import { SchemaNewer } from '../store/schema-newer.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import { createLogger } from '../telemetry/logger.ts'
import { withConfig } from './configured.ts'
import { helpPage, operatorExits } from './help.ts'

const help = helpPage({
  name: 'migrate',
  summary: 'brings the database schema up to date, then exits',
  usage: ['svc migrate [--check]'],
  options: [['--check', 'writes nothing; exit code 1 when a migration is missing']],
  notes: [
    'Any number of processes may migrate at once: one does the work, the others wait for it.',
  ],
  environment: [
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE with the path of a file that holds it'],
    ['DATABASE_STATEMENT_TIMEOUT_MS', '10000; more for a migration of large tables'],
    ['LOG_LEVEL', 'info'],
  ],
  exits: { 0: 'up to date', 1: 'it is not, or the database does not answer', ...operatorExits },
  example: 'svc migrate --check',
})

/** @returns the exit code: 0 up to date, 1 it is not or the database does not answer, 78 bad configuration */
export async function migrate(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h' }, check: { type: 'boolean' } },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  return withConfig(loadMigrateConfig, values.check ? checkSchema : runMigrations)
}

async function runMigrations({ logLevel, store: options }: MigrateConfig): Promise<number> {
  const logger = createLogger({ level: logLevel })
  return withStore(options, async (store) => {
    const migrations = await store.migrate()
    logger.info({ migrations }, 'Schema is up to date')
    return 0
  })
}

async function checkSchema({ store: options }: MigrateConfig): Promise<number> {
  return withStore(options, async (store) => {
    const missing = await store.pendingMigrations()
    if (missing.length === 0) return 0
    process.stderr.write(`svc migrate: the schema lacks ${missing.join(', ')}\n`)
    return 1
  })
}

async function withStore(
  options: StoreOptions,
  work: (store: Store) => Promise<number>,
): Promise<number> {
  await using store = await openStore(options)
  try {
    return await work(store)
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof SchemaNewer)) throw error
    process.stderr.write(`svc migrate: ${error.message}\n`)
    return 1
  }
}
