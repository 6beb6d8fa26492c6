import { expect, test } from 'vitest'
import { ByteBuffer } from '../../../../../src/platform/core/language/byte-buffer.ts'

test('has the bytes that were appended and not dropped', () => {
  const held = new ByteBuffer()
  for (const piece of ['ab', '', 'c', 'defghij', 'k']) held.append(Buffer.from(piece))
  expect(held.bytes.toString()).toBe('abcdefghijk')
  held.drop(4)
  held.append(Buffer.from('l'))
  expect(held.bytes.toString()).toBe('efghijkl')
  held.drop(held.length)
  expect(held.length).toBe(0)
})

test('changes no piece', () => {
  const held = new ByteBuffer()
  const whole = Buffer.from('abcdef')
  held.append(whole.subarray(0, 3))
  held.append(Buffer.from('xyz'))
  expect(held.bytes.toString()).toBe('abcxyz')
  expect(whole.toString()).toBe('abcdef')
})

test('keeps no memory of what was dropped', () => {
  const held = new ByteBuffer()
  held.append(Buffer.alloc(1_000_000))
  held.drop(999_999)
  expect(held.bytes.buffer.byteLength).toBeLessThan(100_000)
})
