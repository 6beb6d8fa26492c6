import { expect, test } from 'vitest'
import { buildTermTable } from '../../../../src/catalog/search/index/term-table.ts'
import { split } from '../../../../tools/vectors/measure/held-out.ts'
import { recall } from '../../../../tools/vectors/measure/recall.ts'

const vectors = {
  dimensions: 2,
  stems: buildTermTable(['rain', 'song', 'melodi']),
  descriptionScales: new Float32Array([1, 1, 1]),
  questionScales: new Float32Array([1, 1, 1]),
  rows: new Int8Array([100, 0, 0, 100, 30, 100]),
}
const pair = (question: string, description: string) => ({ question, description, domain: 'd' })

test('recall counts the questions whose description is among the nearest, and the mean of 1 / rank', () => {
  const asked = [pair('melodies', 'songs'), pair('melody', 'rain'), pair('unknown', 'rain')]
  expect(recall(vectors, asked, ['rain', 'songs'], 1)).toEqual({
    recall: 1 / 3,
    reciprocalRank: (1 + 1 / 2) / 3,
  })
})

test('the training sees no held out question, and no question of a held out description', () => {
  const pairs = Array.from({ length: 3000 }, (_, i) => pair(`q${i}`, `d${Math.floor(i / 6)}`))
  const { training, newTools, knownTools } = split(pairs)
  expect(training.length + newTools.length + knownTools.length).toBe(3000)
  expect(Math.min(newTools.length, knownTools.length)).toBeGreaterThan(150)
  const descriptions = new Set(training.map(({ description }) => description))
  expect(newTools.filter(({ description }) => descriptions.has(description))).toEqual([])
  expect(split(pairs.slice(600)).newTools).toEqual(
    newTools.filter((one) => pairs.indexOf(one) >= 600),
  )
})
