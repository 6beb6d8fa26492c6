import { expect, test } from 'vitest'
import { wrap, wrapParagraphs } from '../../../../src/commands/command-line/wrap.ts'

test('lines break between words, and a longer word has its own', () => {
  expect(wrap('a price of one cent', 10)).toEqual(['a price of', 'one cent'])
  expect(wrap('see https://example.com now', 8)).toEqual(['see', 'https://example.com', 'now'])
  expect(wrap('short', 8)).toEqual(['short'])
})

test('paragraphs are filled again, and tables stay', () => {
  const lines = ['one two', 'three', '', 'key  for the caller', '     of old', 'four five six']
  expect(wrapParagraphs(lines, 9)).toEqual([
    'one two',
    'three',
    '',
    'key  for the caller',
    '     of old',
    'four five',
    'six',
  ])
})
