/**
 * The database has migrations that this version does not know, and this version cannot work with them: a newer
 * version ran before, or it is the database of another application.
 */
export class SchemaNewer extends Error {
  override readonly name = 'SchemaNewer'
  /** The problem, in one clause. */
  readonly says: string
  /** The advice about it. */
  readonly todo: string

  constructor(says: string, todo: string) {
    super(`${says}: ${todo}`)
    this.says = says
    this.todo = todo
  }
}

/** Migrations of the database that this version does not know. */
export interface UnknownMigrations {
  /** Oldest first; empty unless a newer version migrated the database. */
  readonly unknown: readonly string[]
  /** Why this version must not use the schema; undefined when it is compatible. */
  readonly newer: SchemaNewer | undefined
}

/**
 * Every migration only adds, so that the previous versions work on, unless its name says from which migration on a
 * version can work with it: `0008-contract-0004-drop-remark` removes what versions use that do not know 0004.
 */
const contracting = /^\d{4}-contract-(?<least>\d{4})-/

/** Number of the migration that a version must have to work after this one; undefined for one that only adds. */
export const leastMigrationFor = (name: string): string | undefined =>
  contracting.exec(name)?.groups?.['least']

const numberOf = (name: string | undefined): string => name?.slice(0, 4) ?? ''

/** Whether a version whose newest migration is `newest` can work with a schema that also has `unknown`. */
export const isCompatible = (newest: string | undefined, unknown: readonly string[]): boolean =>
  unknown.every((name) => {
    const least = leastMigrationFor(name)
    return least === undefined || numberOf(newest) >= least
  })

/**
 * The database has migrations of a later version but not all of this one, which that version would have run first: it was
 * migrated by a version of another line of development, and this one must not add to it.
 */
export const divergedFrom = (unknown: readonly string[], missing: readonly string[]): SchemaNewer =>
  new SchemaNewer(
    `the database has ${unknown.at(-1)}, which this version does not know, but lacks ${missing.at(-1)}`,
    'run a version that has both',
  )

/**
 * @param executed names of the migrations that the database has, oldest first
 * @param known names of those that this version has, likewise
 */
export function unknownMigrations(
  executed: readonly string[],
  known: readonly string[],
): UnknownMigrations {
  const unknown = executed.filter((name) => !known.includes(name))
  const last = unknown.at(-1)
  if (last === undefined) return { unknown, newer: undefined }
  if (!executed.some((name) => known.includes(name))) {
    const newer = new SchemaNewer(
      `the database has the migrations of another application (${last})`,
      'use a database for svc alone, and name it in DATABASE_URL',
    )
    return { unknown, newer }
  }
  if (isCompatible(known.at(-1), unknown)) return { unknown, newer: undefined }
  // The operator finds these words in the output of a failed migration.
  const newer = new SchemaNewer(
    `the database has ${last}, which this version does not know (its newest migration is ${known.at(-1)})`,
    'run a newer version',
  )
  return { unknown, newer }
}
