import { describe, expect, test } from 'vitest'
import { weightsOf } from '../../../../../src/platform/http/access/weights.ts'

describe('weightsOf', () => {
  test.each<{ header: string | undefined; weights: Record<string, number> }>([
    { header: undefined, weights: {} },
    { header: '', weights: {} },
    { header: 'gzip', weights: { gzip: 1 } },
    { header: 'gzip;q=0.5, br ; q=1.0,, *;q=0', weights: { gzip: 0.5, br: 1, '*': 0 } },
    { header: 'Text/HTML;level=1;Q=0.3', weights: { 'text/html': 0.3 } },
    { header: 'gzip;q=much', weights: { gzip: 0 } },
  ])('reads $header', ({ header, weights }) => {
    expect(Object.fromEntries(weightsOf(header))).toEqual(weights)
  })
})
