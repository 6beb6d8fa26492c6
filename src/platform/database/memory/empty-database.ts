import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

/** Made by `make memory-store`. */
const FILE = new URL('./empty-database.bin', import.meta.url)

/**
 * The data folder of an empty database, as a tar archive. With it no process creates one, which would take 1.1 GB of memory and
 * some seconds.
 */
export async function emptyDatabase(): Promise<Blob> {
  return new Blob([await promisify(brotliDecompress)(await readFile(FILE))])
}
