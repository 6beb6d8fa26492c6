import { join } from 'node:path'
import { expect, test } from 'vitest'
import { splitWords } from '../../../../src/catalog/search/text/split-words.ts'
import { stemsOf } from '../../../../src/catalog/search/text/stems.ts'
import { agreement } from '../../../../tools/eval/declared/agreement.ts'
import { declaredItems } from '../../../../tools/eval/declared/items.ts'
import { judgedQuestions, readPasses } from '../../../../tools/eval/declared/questions.ts'
import { readSeeds } from '../../../../tools/eval/declared/seed.ts'
import { readPairs } from '../../../../tools/vectors/read-pairs.ts'

const seeds = readSeeds()
const declared = await declaredItems(seeds)
const questions = judgedQuestions(declared)
const pairs = readPairs(join(import.meta.dirname, '../../../../tools/vectors/pairs'))

test('the catalog lists every declaration, and no seed stands twice', () => {
  expect(new Set(seeds.map(({ id }) => id)).size).toBe(seeds.length)
  expect(seeds.length).toBeGreaterThanOrEqual(600)
})

test('a question has an answer unless it is unanswerable', () => {
  const wrong = questions.filter(
    ({ class: name, relevant }) =>
      (name === 'unanswerable') !== (Object.keys(relevant).length === 0),
  )
  expect(wrong.map(({ id }) => id)).toEqual([])
  expect(questions.length).toBeGreaterThanOrEqual(300)
})

test('both passes grade the same questions, and agree', () => {
  const { first, second } = readPasses()
  expect([...second.keys()]).toEqual([...first.keys()])
  expect(agreement(6830).kappa).toBeGreaterThan(0.8)
})

test('no training pair has the words of a held question, or six words in a line with a listing', () => {
  const wordingOf = (text: string): string => [...new Set(stemsOf(text))].sort().join(' ')
  const held = questions.filter(({ split }) => split === 'held')
  // A question of one or two words is a term of the field, which no vocabulary can leave out.
  const asked = new Set(
    held.map(({ query }) => wordingOf(query)).filter((w) => w.split(' ').length > 2),
  )
  expect(
    pairs.map(({ question }) => question).filter((text) => asked.has(wordingOf(text))),
  ).toEqual([])
  const known = new Set(
    pairs.flatMap(({ question, description }) => [...runsOf(question), ...runsOf(description)]),
  )
  const shared = seeds.flatMap(({ description = '' }) =>
    runsOf(description).filter((run) => known.has(run)),
  )
  expect(shared).toEqual([])
})

/** Each run of six words. */
function runsOf(text: string): string[] {
  const words = splitWords(text)
  return words.slice(5).map((_, at) => words.slice(at, at + 6).join(' '))
}
