import { type Dialect, PGliteDialect } from 'kysely'

const INT8 = 20

/**
 * Postgres inside this process, with the same SQL and migrations; its data ends with the process. For
 * development: the package is a development dependency, imported only for this kind of store.
 */
export async function memoryDialect(): Promise<Dialect> {
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create({ parsers: { [INT8]: (value) => BigInt(value) } })
  return new PGliteDialect({ pglite })
}
