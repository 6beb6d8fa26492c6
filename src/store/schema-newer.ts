/**
 * The database has migrations that this version does not know: a newer version ran before, or it is the
 * database of another application.
 */
export class SchemaNewer extends Error {
  override readonly name = 'SchemaNewer'
  /** What is wrong, in one clause. */
  readonly says: string
  /** What to do about it. */
  readonly todo: string

  constructor(says: string, todo: string) {
    super(`${says}: ${todo}`)
    this.says = says
    this.todo = todo
  }
}

/**
 * @param executed names of the migrations that the database has, oldest first
 * @param known names of those that this version has, likewise
 */
export function schemaNewer(
  executed: readonly string[],
  known: readonly string[],
): SchemaNewer | undefined {
  const unknown = executed.filter((name) => !known.includes(name)).at(-1)
  if (unknown === undefined) return undefined
  if (!executed.some((name) => known.includes(name))) {
    return new SchemaNewer(
      `the database has the migrations of another application (${unknown})`,
      'use a database for svc alone, and name it in DATABASE_URL',
    )
  }
  // The operator finds "which this version does not know" in the last words of a failed migration.
  return new SchemaNewer(
    `the database has ${unknown}, which this version does not know (its newest migration is ${known.at(-1)})`,
    'run a newer version',
  )
}
