import { expect, test } from 'vitest'
import { listingAnswer } from '../../../../src/buying/listings/catalog-answers.ts'

const time = '2026-01-01T00:00:00.000Z'
const id = '4f9c2f0e-6d3e-4b52-9f57-0d6a5a4d1c11'
const listing = {
  ...{ id, network: 'stellar:testnet', version: 1, trust: 'settled', owner: 'GSELLER' },
  ...{ settlements: 1, firstCataloged: time, lastSettled: time },
}
const answer = {
  ...{ resource: 'https://shop.example', type: 'http', x402Version: 2, accepts: [] },
  ...{ lastUpdated: time, extensions: { bazaar: { info: {}, schema: {} } } },
  svc: { trust: 'settled', settlements: 1, listings: [listing], options: [{ listing: id }] },
  state: 'published',
  lastOutcome: { phase: 'settle', status: 'success', code: 'recorded', at: time },
  nextCheckAt: null,
}

test('members that a later version adds are left out, wherever they are', () => {
  const later = {
    ...{ ...answer, added: 1 },
    extensions: { ...answer.extensions, other: { proof: 1 } },
    svc: { ...answer.svc, added: 1, listings: [{ ...listing, added: 1 }] },
    lastOutcome: { ...answer.lastOutcome, added: 1 },
  }
  expect(listingAnswer.parse(answer)).toEqual(answer)
  expect(listingAnswer.parse(later)).toEqual(answer)
})

test.each([
  ['an unknown state', { state: 'gone' }],
  ['no listing', { svc: { ...answer.svc, listings: [] } }],
  [
    'a wrong type deep inside',
    { svc: { ...answer.svc, listings: [{ ...listing, version: '1' }] } },
  ],
  ['a member too little', { lastOutcome: undefined }],
])('%s is refused', (_, change) => {
  expect(listingAnswer.safeParse({ ...answer, ...change }).success).toBe(false)
})
