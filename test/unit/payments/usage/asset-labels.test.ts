import { describe, expect, it } from 'vitest'
import { AssetLabels, OTHER_ASSETS } from '../../../../src/payments/usage/asset-labels.ts'

const day = '2026-11-21'

describe('the name of an asset in the counts', () => {
  it.each([
    { what: 'what the requirements say', asset: 'CASSET', label: 'CASSET' },
    { what: 'cut to 64 characters', asset: 'x'.repeat(65), label: 'x'.repeat(64) },
    { what: 'empty when they say nothing', asset: undefined, label: '' },
    { what: 'without NUL, which the store takes in no text', asset: 'a\0b', label: 'ab' },
    { what: 'without half a character', asset: `${'x'.repeat(63)}😀`, label: `${'x'.repeat(63)}�` },
  ])('is $what', ({ asset, label }) => {
    expect(new AssetLabels().labelOf('public', day, asset)).toBe(label)
  })

  it('is other for all but 200 unaccepted assets, by caller and day', () => {
    const labels = new AssetLabels()
    const labelled = (caller: string, on: string) =>
      new Set(Array.from({ length: 300 }, (_, index) => labels.labelOf(caller, on, `C${index}`)))
    expect(labelled('public', day).size).toBe(201)
    expect(labels.labelOf('public', day, 'new')).toBe(OTHER_ASSETS)
    expect(labels.labelOf('public', day, 'C7')).toBe('C7')
    expect(labels.labelOf('public', day, 'accepted', true)).toBe('accepted')
    expect(labelled('key:one', day).size).toBe(201)
    expect(labels.labelOf('public', '2026-11-22', 'new')).toBe('new')
  })
})
