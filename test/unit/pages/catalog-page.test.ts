import { describe, expect, test } from 'vitest'
import { describeConstraints } from '../../../src/catalog/filters/constraints.ts'
import { parseQuestion } from '../../../src/catalog/search/query/parse-question.ts'
import { catalogSettings } from '../../../src/settings/rows/catalog.ts'
import { readPage } from './markdown.ts'

/** docs/catalog.md: what follows from tables and rules of the code. */

const page = readPage('docs/catalog.md')

/** The cells of the rows of the table whose first header is this. */
function rowsOf(header: string): readonly (readonly string[])[] {
  const [, table = ''] = page.split(`\n| ${header} | `)
  return (table.split('\n\n')[0] ?? '')
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(/ ?\| /))
}

const quotedIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted)

describe('the questions', () => {
  const rows = rowsOf('Question')
  test('are some', () => expect(rows.length).toBeGreaterThan(9))
  test.each(rows)('"%s" has the conditions %s', (question = '', conditions = '') => {
    const { constraints } = parseQuestion(question)
    expect(describeConstraints(constraints)).toEqual(quotedIn(conditions))
  })
})

test('the defaults are those of the settings', () => {
  const settings: Readonly<Record<string, { fallback: string }>> = catalogSettings
  const rows = rowsOf('Setting').filter(([name = '']) => quotedIn(name)[0] !== 'BAZAAR_ENABLED')
  expect(rows.length).toBeGreaterThan(4)
  for (const [name = '', , fallback] of rows) {
    const [variable = ''] = quotedIn(name)
    expect([variable, fallback]).toEqual([variable, settings[variable]?.fallback])
  }
})
