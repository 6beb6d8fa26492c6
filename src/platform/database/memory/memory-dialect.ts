import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Dialect, PGliteDialect } from 'kysely'
import { emptyDatabase } from './empty-database.ts'

const INT8 = 20

/**
 * Settings for one session whose data ends with the process. Those of a server would reserve memory for a hundred sessions, and keep
 * a log for a crash.
 */
const settings = [
  'shared_buffers=4MB',
  'wal_buffers=64kB',
  'max_connections=5',
  'wal_level=minimal',
  'max_wal_senders=0',
  'min_wal_size=2MB',
  'max_wal_size=2MB',
  'full_page_writes=off',
]

/**
 * V8 compiles the code of Postgres once, fast, and not a second time for speed: the second compiler takes 500 MB for a minute and
 * statements are no faster with it (docs/performance.md). The flags are of the process, for all WebAssembly that it runs from now on.
 */
const compileOnce = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

/**
 * Postgres inside this process, with the same SQL and migrations; its data ends with the process. For
 * development: the package is a development dependency, imported only for this kind of store.
 */
export async function memoryDialect(): Promise<Dialect> {
  const [{ PGlite }, loadDataDir] = await Promise.all([
    import('@electric-sql/pglite'),
    emptyDatabase(),
  ])
  for (const flag of compileOnce) setFlagsFromString(flag)
  collectGarbage()
  const pglite = await PGlite.create({
    loadDataDir,
    parsers: { [INT8]: (value) => BigInt(value) },
    startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
  })
  collectGarbage()
  return new PGliteDialect({ pglite })
}

/**
 * Loading modules and starting Postgres leave garbage that V8 keeps until the heap has grown several times over. Only a new context has
 * the function that collects it, and only while the flag is set.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect()
}
