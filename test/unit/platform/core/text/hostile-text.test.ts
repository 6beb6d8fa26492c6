import { describe, expect, test } from 'vitest'
import {
  cleanBlock,
  cleanLine,
  cutTo,
  hasHidden,
} from '../../../../../src/platform/core/text/hostile-text.ts'

const hidden: readonly [string, string][] = [
  ['NUL', '\0'],
  ['an escape', '\u001b'],
  ['delete', '\u007f'],
  ['a C1 control', '\u009b'],
  ['a left-to-right override', '\u202d'],
  ['a right-to-left override', '\u202e'],
  ['the end of an embedding', '\u202c'],
  ['a right-to-left isolate', '\u2067'],
  ['the end of an isolate', '\u2069'],
  ['a right-to-left mark', '\u200f'],
  ['an Arabic letter mark', '\u061c'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a Hangul filler', '\u3164'],
  ['a blank braille pattern', '\u2800'],
  ['a variation selector', '\ufe0f'],
  ['a supplementary variation selector', '\u{e0101}'],
  ['a tag letter', '\u{e0041}'],
  ['an interlinear annotation', '\ufff9'],
  ['a private character', '\ue000'],
  ['a noncharacter', '\uffff'],
  ['a high surrogate alone', '\ud83d'],
  ['a low surrogate alone', '\ude00'],
]

describe('the text of a seller', () => {
  test.each(hidden)('loses %s', (_, character) => {
    const text = `a${character}b`
    expect(hasHidden(text)).toBe(true)
    expect(cleanLine(text)).toBe('ab')
    expect(cleanBlock(text)).toBe('ab')
  })

  test.each(['日本語', 'naïve café', 'שלום עולם', 'مرحبا', '😀', '<b>bold</b> & "x"', 'ไทย', 'x̄'])(
    'keeps %s',
    (text) => {
      expect(hasHidden(text)).toBe(false)
      expect([cleanLine(text), cleanBlock(text)]).toEqual([text, text])
    },
  )

  test('becomes one line of single spaces', () => {
    expect(cleanLine(' a\t\n b\u2028c\u00a0d\r\n')).toBe('a b c d')
  })

  test('keeps its lines in a block', () => {
    expect(cleanBlock('a\n\tb\n\u2028c\0')).toBe('a\n\tb\n\u2028c')
  })

  test('ends each line of a block with a line feed', () => {
    expect(cleanBlock('a\r\nb\rc\n\rd\r\u001b\n')).toBe('a\nb\nc\n\nd\n\n')
  })

  test('loses marks that pile up on a letter', () => {
    expect(cleanLine(`z${'\u0315'.repeat(500)}`)).toBe(`z${'\u0315'.repeat(4)}`)
  })

  test('is cut between characters', () => {
    expect([cutTo(3, 'abcd'), cutTo(3, 'ab😀'), cutTo(4, 'ab😀')]).toEqual(['abc', 'ab', 'ab😀'])
  })
})
