import { expect, test } from 'vitest'
import { canonicalQuantity } from '../../../../../../../src/kubernetes/operator/facilitator/render/pods/quantity.ts'

test.each<[written: string | number, canonical: string]>([
  ['100m', '100m'],
  ['0.5', '500m'],
  ['1000m', '1'],
  ['2000m', '2'],
  ['1.5', '1500m'],
  [1, '1'],
  [1000, '1k'],
  [0, '0'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['256Mi', '256Mi'],
  ['0.5Ki', '512'],
  ['1000Ki', '1000Ki'],
  ['128974848', '128974848'],
  ['129e6', '129e6'],
  ['1e3', '1e3'],
  ['12e2', '1200'],
  ['0.1m', '100u'],
  ['+1', '1'],
])('it writes the quantity %s as %s', (written, canonical) => {
  expect(canonicalQuantity(written)).toBe(canonical)
})

test('it refuses text that is not a quantity', () => {
  expect(() => canonicalQuantity('lots')).toThrow(RangeError)
})
