import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'

/*
 * `make memory-store`: makes the data folder that the store in memory starts with. Run it when the Postgres of PGlite has
 * another major version: it refuses the folder then.
 */

const FILE = join(import.meta.dirname, '../../src/platform/database/memory/empty-database.bin')
/** Segments of the log, of 1 MB instead of 16, and no more than needed. */
const SMALL_LOG = ['-c', 'min_wal_size=2MB', '-c', 'max_wal_size=2MB']

/** Databases that only `create database` reads; each is as large as the one that is used. */
const templates = ['template0', 'template1']

const created = await PGlite.create({ initDbStartParams: ['--wal-segsize=1'] })
await created.exec('update pg_database set datistemplate = false')
for (const name of templates) await created.exec(`drop database ${name}`)
await created.exec('vacuum full')
const folder = await created.dumpDataDir('none')
await created.close()

const reopened = await PGlite.create({
  loadDataDir: folder,
  startParams: [...PGlite.defaultStartParams, ...SMALL_LOG],
})
// The segments that the creation has written are removed with the second checkpoint after them.
for (let checkpoint = 1; checkpoint <= 2; checkpoint += 1) {
  await reopened.exec('select pg_switch_wal()')
  await reopened.exec('checkpoint')
}
const tar = new Uint8Array(await (await reopened.dumpDataDir('none')).arrayBuffer())
await reopened.close()
const compressed = brotliCompressSync(tar)
writeFileSync(FILE, compressed)
process.stdout.write(`${FILE}: ${tar.length} bytes, ${compressed.length} compressed\n`)
