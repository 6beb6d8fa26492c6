/** The migrations of the two invented versions after this one, which `make e2e-upgrade` installs. */
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type Migrations, migrations } from '../../src/platform/database/migrations/index.ts'
import {
  type Addition,
  contract,
  expand,
  migrationName,
} from '../../tools/e2e-upgrade/additions.ts'

function withAddition(all: Migrations, addition: Addition): Migrations {
  const newest = Object.keys(all).toSorted().at(-1) ?? ''
  const up: Migration['up'] = async (db) => {
    for (const statement of addition.statements) await sql.raw(statement).execute(db)
  }
  return { ...all, [migrationName(newest, addition)]: { up } }
}

/** It only adds. */
export const nextVersion = withAddition(migrations, expand)
/** It removes what the version before it added. */
export const versionAfterNext = withAddition(nextVersion, contract)

/** The names that the two add. */
export const [expandName = '', contractName = ''] = Object.keys(versionAfterNext).filter(
  (name) => !(name in migrations),
)
