/**
 * `make vectors`: learns the word vectors of the catalog's search and writes the file that the search loads.
 * `ARGS=--validate` learns without a part of the pairs instead, and prints how well that part finds its descriptions.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countOf, writeWordVectors } from '../../src/catalog/search/vectors/format.ts'
import { hashOfSources } from './hash-of-sources.ts'
import { learn } from './learn.ts'
import { validate } from './measure/validate.ts'
import { readPairs } from './read-pairs.ts'
import { RECIPE } from './recipe.ts'

const FILE = join(import.meta.dirname, '../../src/catalog/search/vectors/words.bin')
const PAIRS = join(import.meta.dirname, 'pairs')

const report = (line: string): boolean => process.stdout.write(`${line}\n`)
const pairs = readPairs(PAIRS)
const [option] = process.argv.slice(2)
if (option === '--validate') {
  for (const line of validate(pairs, RECIPE, report)) report(line)
} else if (option === undefined) {
  const vectors = learn(pairs, RECIPE, report)
  const bytes = writeWordVectors(vectors, hashOfSources())
  writeFileSync(FILE, bytes)
  report(`${FILE}: ${countOf(vectors.stems)} stems, ${bytes.length} bytes`)
} else {
  process.stderr.write(
    `The argument ${option} is unknown. Use --validate, or no argument to write the vectors.\n`,
  )
  process.exit(64)
}
