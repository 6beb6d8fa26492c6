import { type Dialect, PGliteDialect } from 'kysely'

const INT8 = 20

/**
 * Postgres in this process, for one replica that may forget: the same SQL and the same migrations.
 * The package is a development dependency, loaded only when asked for.
 */
export async function memoryDialect(): Promise<Dialect> {
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create({ parsers: { [INT8]: (value) => BigInt(value) } })
  return new PGliteDialect({ pglite })
}
