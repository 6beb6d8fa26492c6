import { declarations } from './0002-catalog/declarations.ts'
import { facts } from './0002-catalog/facts.ts'
import { listings } from './0002-catalog/listings.ts'
import { migrationOf } from './statements.ts'

/** The catalog of paid resources. */
export const catalog = migrationOf(declarations, listings, facts)
