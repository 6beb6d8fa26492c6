import { expect, test } from 'vitest'
import { describeConstraints } from '../../../../src/catalog/filters/constraints.ts'
import { parseQuestion } from '../../../../src/catalog/search/query/parse-question.ts'

const read = (query: string) => {
  const { rest, constraints } = parseQuestion(query)
  return [rest, ...describeConstraints(constraints)]
}

test.each([
  ['free jokes', 'jokes'],
  ['free weather api', 'weather api'],
  ['translations free', 'translations'],
  ['web search at no cost', 'web search'],
  ['weather for free', 'weather'],
  ['kostenlos Wetter', 'Wetter'],
])('"%s" asks for a price of 0', (query, rest) => {
  expect(read(query)).toEqual([rest, 'maxPrice=0 base units'])
})

test.each([
  'free parking near me',
  'free domain names',
  'gluten free recipes',
  'is the room free tonight',
  'how much of my lumens is free',
  'ad-free text',
])('"%s" says nothing of a price', (query) => {
  expect(read(query)).toEqual([query])
})
