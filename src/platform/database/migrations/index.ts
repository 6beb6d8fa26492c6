import type { Migration } from 'kysely/migration'
import { payments } from './0001-payments.ts'
import { catalog } from './0002-catalog.ts'
import { explorer } from './0003-explorer.ts'

export type Migrations = Readonly<Record<string, Migration>>

/**
 * Every schema change, oldest first by name. A released one is never edited: add the next. It only adds, so that
 * replicas of the previous version work on; what no version uses any more is removed later, by a migration whose name says
 * so: see `schema-newer.ts`.
 */
export const migrations: Migrations = {
  '0001-payments': payments,
  '0002-catalog': catalog,
  '0003-explorer': explorer,
}
