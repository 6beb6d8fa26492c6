import { describe, expect, test } from 'vitest'
import { chooseContent } from '../../../../src/catalog/origin/choose-content.ts'
import type { ClaimOfListing } from '../../../../src/catalog/store/listings-claims.ts'

const claim = (payer: string, changes: Partial<ClaimOfListing> = {}): ClaimOfListing => ({
  ...{ payer, payTo: 'GPAYEE', transaction: `of ${payer}`, tries: 0, isDue: true },
  ...changes,
})
const failed = claim('failed', { tries: 1 })
const waiting = claim('waiting', { tries: 1, isDue: false })
const fresh = claim('fresh')
const first = () => 0
const last = () => 0.999

describe('the next request to an origin', () => {
  test.each<{
    when: string
    state: 'pending' | 'published' | 'quarantined'
    tries?: number
    claims: readonly ClaimOfListing[]
    random?: () => number
    asked: object
  }>([
    { when: 'nothing failed yet', state: 'pending', claims: [fresh], asked: { from: 'listing' } },
    {
      when: 'it is listed',
      state: 'published',
      tries: 3,
      claims: [fresh],
      asked: { from: 'listing' },
    },
    { when: 'a claim waits', state: 'pending', tries: 1, claims: [fresh], asked: { claim: fresh } },
    {
      when: 'one of them is the address',
      state: 'quarantined',
      claims: [fresh],
      random: last,
      asked: { from: 'address' },
    },
    {
      when: 'the pause of the only claim is not over',
      state: 'quarantined',
      claims: [waiting],
      asked: { from: 'listing' },
    },
    {
      when: 'the pause of a claim is over',
      state: 'quarantined',
      claims: [waiting, failed],
      asked: { claim: failed },
    },
    {
      when: 'another claim was never asked with',
      state: 'quarantined',
      claims: [failed, fresh],
      asked: { claim: fresh },
    },
  ])('$when', ({ state, tries = 0, claims, random = first, asked }) => {
    expect(chooseContent({ state, tries, claims }, random)).toMatchObject(asked)
  })
})
