import { expect, test } from 'vitest'
import { buildTermTable } from '../../../../src/catalog/search/index/term-table.ts'
import { encodeStems } from '../../../../src/catalog/search/vectors/encode.ts'
import { readWordVectors, writeWordVectors } from '../../../../src/catalog/search/vectors/format.ts'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'

const vectors = {
  dimensions: 2,
  stems: buildTermTable(['rain', 'snow', 'piano']),
  descriptionScales: Float32Array.of(0.5, 0.5, 0.5),
  questionScales: Float32Array.of(2, 1, 0.25),
  rows: Int8Array.of(100, 0, 0, 100, -100, 0),
}

test('vectors are the same after they were written and read, also from a Buffer', () => {
  const bytes = writeWordVectors(vectors)
  expect(readWordVectors(bytes)).toEqual(vectors)
  expect(readWordVectors(Buffer.from(bytes))).toEqual(vectors)
})

test('a file that is cut short is refused', () => {
  expect(() => readWordVectors(writeWordVectors(vectors).subarray(0, -1))).toThrow('cut short')
})

test('the shipped vectors are in memory that threads share', async () => {
  const words = await loadWordVectors()
  for (const part of ['rows', 'descriptionScales', 'questionScales'] as const)
    expect(words?.[part].buffer).toBeInstanceOf(SharedArrayBuffer)
})

test('a text is the unit vector of its weighted stems, with the weights of its side', () => {
  expect([...(encodeStems(vectors, ['rain', 'snow'], 'description') ?? [])]).toEqual([
    expect.closeTo(Math.SQRT1_2, 6),
    expect.closeTo(Math.SQRT1_2, 6),
  ])
  const [east = 0, north = 0] = encodeStems(vectors, ['rain', 'snow', 'unknown'], 'question') ?? []
  expect(east / north).toBeCloseTo(2, 6)
})

test('a text without a known stem has no vector', () => {
  expect(encodeStems(vectors, ['unknown'], 'question')).toBeNull()
})
