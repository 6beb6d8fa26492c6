import { describe, expect, test } from 'vitest'
import { describing } from '../../../../src/catalog/items/listed-item.ts'

const [testnet, pubnet] = ['stellar:testnet', 'stellar:pubnet'] as const

describe('the listing that describes a resource', () => {
  test.each([
    { when: 'equal trust', listings: [`${testnet} origin_verified`, `${pubnet} origin_verified`] },
    { when: 'more trust', listings: [`${testnet} origin_verified`, `${pubnet} settled`] },
    {
      when: 'no trust, on the public network',
      listings: [`${pubnet} settled`, `${testnet} settled`],
    },
  ])('is the first, with $when', ({ listings }) => {
    expect(describing(listings.map(listingOf))).toEqual(listingOf(listings[0] ?? ''))
  })

  test.each([
    { when: 'more trust', listings: [`${pubnet} settled`, `${testnet} domain_verified`] },
    { when: 'no trust, if it is public', listings: [`${testnet} settled`, `${pubnet} settled`] },
  ])('is a later one with $when', ({ listings }) => {
    expect(describing(listings.map(listingOf))).toEqual(listingOf(listings[1] ?? ''))
  })
})

function listingOf(text: string) {
  const [network, trust] = text.split(' ')
  return { network, trust } as Parameters<typeof describing>[0][number]
}
