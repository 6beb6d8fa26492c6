import { describe, expect, test } from 'vitest'
import { csvLine } from '../../../../../src/explorer/web/csv/csv-line.ts'

describe('csvLine', () => {
  test.each([
    { when: 'plain values', values: ['a', 1, true, undefined], line: 'a,1,true,' },
    { when: 'a comma', values: ['a,b'], line: '"a,b"' },
    { when: 'quotes', values: ['say "x"'], line: '"say ""x"""' },
    { when: 'lines', values: ['one\r\ntwo'], line: '"one\r\ntwo"' },
    { when: 'a semicolon, which some spreadsheets split at', values: ['a;=1'], line: '"a;=1"' },
    {
      when: '39 digits',
      values: ['170141183460469231731687303715884105727'],
      line: '170141183460469231731687303715884105727',
    },
  ])('writes $when', ({ values, line }) => {
    expect(csvLine(values)).toBe(`${line}\r\n`)
  })

  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ' =1',
    '\u200b=1',
    '\ufeff=1',
    '＝1+1',
    '＠x',
    '\n',
  ])('lets no spreadsheet run %j', (text) => {
    const line = csvLine([text])
    expect(line.replace(/^"/, '')[0]).toBe("'")
  })
})
