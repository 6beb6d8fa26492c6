import { parseArgs } from 'node:util'
import { loadMigrateConfig, type MigrateConfig } from '../config/migrate.ts'
import { openStore } from '../store/open.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import { createLogger } from '../telemetry/logger.ts'
import { withConfig } from './configured.ts'

const help = `svc migrate: brings the database schema up to date, then exits

  DATABASE_URL         postgres://..., or DATABASE_URL_FILE with the path of a file that holds it
  LOG_LEVEL            info

  Any number of processes may migrate at once: one does the work, the others wait for it.
`

/** @returns the exit code: 0 up to date, 1 the database does not answer, 78 bad configuration */
export async function migrate(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean' } } })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  return withConfig(loadMigrateConfig, runMigrations)
}

async function runMigrations({ logLevel, store: options }: MigrateConfig): Promise<number> {
  const logger = createLogger({ level: logLevel })
  await using store = await openStore(options)
  try {
    const migrations = await store.migrate()
    logger.info({ migrations }, 'Schema is up to date')
    return 0
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    process.stderr.write(`svc migrate: ${error.message}\n`)
    return 1
  }
}
