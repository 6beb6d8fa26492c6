import { expect, test } from 'vitest'
import { visibleText } from '../../../../../src/explorer/web/format/visible-text.ts'

test('a shown name keeps the letters behind a stack of marks, and few of the marks', () => {
  expect(visibleText(`Z${'\u0351'.repeat(240)}algo`)).toBe(`Z${'\u0351'.repeat(4)}algo`)
  expect(visibleText('Việt ngữ')).toBe('Việt ngữ')
})
