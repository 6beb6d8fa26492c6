import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashOfSources } from '../../../../tools/vectors/hash-of-sources.ts'

const FILE = join(import.meta.dirname, '../../../../src/catalog/search/vectors/words.bin')
const bytes = readFileSync(FILE)
const header = JSON.parse(bytes.subarray(0, bytes.indexOf(0x0a)).toString('utf8'))

test('the shipped word vectors were learned from the pairs and the training of today: run make vectors', () => {
  expect(header.sources).toBe(hashOfSources())
})

test('the shipped word vectors have 128 dimensions and take at most 8 MB', () => {
  expect(header.dimensions).toBe(128)
  expect(bytes.length).toBeLessThanOrEqual(8_000_000)
})
