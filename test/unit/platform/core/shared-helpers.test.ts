import { expect, test } from 'vitest'
import { deepFreeze } from '../../../../src/platform/core/language/deep-freeze.ts'
import { isPostgresUrl } from '../../../../src/platform/core/postgres-url.ts'
import { canonicalHash, canonicalJson } from '../../../../src/platform/core/text/canonical-json.ts'
import { messageOf } from '../../../../src/platform/core/text/error-message.ts'
import { printable } from '../../../../src/platform/core/text/printable.ts'

test('canonicalJson sorts members and leaves out undefined ones', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe(
    '{"b":[1,{"c":"x","d":null}]}',
  )
  expect(canonicalHash({ a: 1, b: 2 })).toBe(canonicalHash({ b: 2, a: 1 }))
  expect(canonicalHash({})).toMatch(/^[0-9a-f]{64}$/)
})

test('deepFreeze freezes members and elements', () => {
  const frozen = deepFreeze({ list: [{ name: 'a' }], nothing: null })
  expect(Object.isFrozen(frozen)).toBe(true)
  expect(Object.isFrozen(frozen.list[0])).toBe(true)
})

test('messageOf takes what is no Error too', () => {
  expect(messageOf(new TypeError('wrong'))).toBe('wrong')
  expect(messageOf('text')).toBe('text')
})

test.each([
  { text: 'postgres://u:p@host:5432/db', isOne: true },
  { text: 'postgresql://host/db', isOne: true },
  { text: 'mysql://host/db', isOne: false },
  { text: 'postgres://host:port', isOne: false },
  { text: ' postgres://host', isOne: false },
])('isPostgresUrl: $text is $isOne', ({ text, isOne }) => {
  expect(isPostgresUrl(text)).toBe(isOne)
})

test('printable replaces control characters', () => {
  expect(printable('a\u001b[2Jb\nc')).toBe('a [2Jb c')
})
