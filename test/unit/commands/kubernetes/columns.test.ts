import { expect, test } from 'vitest'
import { columns } from '../../../../src/commands/kubernetes/columns.ts'

test('a cell with the words of a stranger stays in its line and its column', () => {
  expect(
    columns([
      ['NAME', 'REASON'],
      ['one\u001b[2J', 'two\r\nthree\u009b'],
    ]),
  ).toEqual(['NAME     REASON', 'one [2J  two  three'])
})
