import { expect, test } from 'vitest'
import { contrastiveLoss } from '../../../../tools/vectors/contrastive-loss.ts'
import { seededRandom } from '../../../../tools/vectors/random.ts'

const ROWS = 5
const DIMENSIONS = 4
const random = seededRandom(1)
const vectors = () => Float32Array.from({ length: ROWS * DIMENSIONS }, () => random.normal())
const labels = Int32Array.of(0, 1, 2, 1, 3)

test('the gradients of the loss are its slopes', () => {
  const [left, right] = [vectors(), vectors()]
  const lossOf = () => contrastiveLoss(left, right, labels, DIMENSIONS, 0.5).loss
  const { leftGradient, rightGradient } = contrastiveLoss(left, right, labels, DIMENSIONS, 0.5)
  for (const [values, gradient] of [
    [left, leftGradient],
    [right, rightGradient],
  ] as const) {
    for (const [at, value] of values.entries()) {
      const step = 0.01
      values[at] = value + step
      const above = lossOf()
      values[at] = value - step
      const below = lossOf()
      values[at] = value
      expect((above - below) / (2 * step)).toBeCloseTo(gradient[at] ?? Number.NaN, 2)
    }
  }
})
