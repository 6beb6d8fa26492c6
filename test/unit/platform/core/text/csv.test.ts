import { expect, it } from 'vitest'
import { csvLine } from '../../../../../src/platform/core/text/csv.ts'

it.each([
  { cells: ['a', '', '12'], line: 'a,,12\r\n' },
  { cells: ['a,b', 'say "x"', 'two\nlines'], line: '"a,b","say ""x""","two\nlines"\r\n' },
  { cells: ['=1+1', '+1', '-1', '@SUM(A1)'], line: "'=1+1,'+1,'-1,'@SUM(A1)\r\n" },
  { cells: ['\t=1', '\r=1', '=A1,B1'], line: '\'\t=1,"\'\r=1","\'=A1,B1"\r\n' },
  { cells: ['a=1', '1-2'], line: 'a=1,1-2\r\n' },
])('writes $cells as text that no spreadsheet computes', ({ cells, line }) => {
  expect(csvLine(cells)).toBe(line)
})
