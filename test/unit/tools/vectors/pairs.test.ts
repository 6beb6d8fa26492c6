import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPairs } from '../../../../tools/vectors/read-pairs.ts'

const tools = join(import.meta.dirname, '../../../../tools')
const pairs = readPairs(join(tools, 'vectors/pairs'))

test('at least 4,000 questions over at least 60 domains train the vectors, each once for its description', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(4000)
  expect(new Set(pairs.map(({ domain }) => domain)).size).toBeGreaterThanOrEqual(60)
  expect(new Set(pairs.map(({ question, description }) => `${question}|${description}`)).size).toBe(
    pairs.length,
  )
  expect(pairs.filter(({ description, domain }) => description === '' || domain === '')).toEqual([])
})

test('no question and no description of the evaluation trains the vectors', () => {
  const lines = (path: string) =>
    readFileSync(join(tools, 'eval', path), 'utf8')
      .trim()
      .split('\n')
  const judged = lines('queries.jsonl').map((line): string => JSON.parse(line).query)
  const listed = readdirSync(join(tools, 'eval/listings')).flatMap((name) =>
    lines(`listings/${name}`).map((line): string => JSON.parse(line).description),
  )
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  const evaluated = new Set([...judged, ...listed].map(plain).filter((text) => text.includes(' ')))
  const shared = pairs.filter(
    ({ question, description }) =>
      evaluated.has(plain(question)) || evaluated.has(plain(description)),
  )
  expect(shared).toEqual([])
})
