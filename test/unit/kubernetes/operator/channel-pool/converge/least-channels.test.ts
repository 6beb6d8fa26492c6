import { expect, test } from 'vitest'
import { leastChannels } from '../../../../../../src/kubernetes/crd/channel-pool/spec.ts'

test.each([
  [{ max: 4 }, 4],
  [{ max: 20 }, 8],
  [{ min: 12, max: 20 }, 12],
])('autoscale %o has at least %i channels', (autoscale, least) => {
  expect(leastChannels(autoscale)).toBe(least)
})
