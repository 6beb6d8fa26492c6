import { describe, expect, test } from 'vitest'
import { planListed } from '../../../../src/catalog/intake/plan-settlement.ts'
import type { PaymentOption } from '../../../../src/catalog/listing.ts'
import { accounts, content, option } from '../../../support/catalog-listing.ts'

const payTo = accounts.first
const metered = option({
  scheme: 'upto',
  amount: '500000',
  extra: {
    areFeesSponsored: true,
    profile: 'authority-v1',
    uptoContract: 'CAAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQC526',
    authority: accounts.second,
  },
})
const declared = (...accepts: PaymentOption[]) => content('https://shop.example/ai', { accepts })
const listed = {
  owner: payTo,
  state: 'published' as const,
  content: declared(option(), metered),
  checkTries: 0,
}
const plan = (paid: PaymentOption) => planListed(listed, { payTo, content: declared(paid) })

describe('a resource that is listed with two schemes', () => {
  test.each([option(), metered])('stays as it is when it is paid with $scheme', (paid) => {
    expect(plan(paid)).toMatchObject({ keepsClaim: false, requestsCheck: false })
  })

  test.each<{ what: string; changes: Partial<PaymentOption> }>([
    { what: 'ceiling', changes: { amount: '500001' } },
    { what: 'authority', changes: { extra: { ...metered.extra, authority: payTo } } },
  ])('is asked again when it is paid with another $what', ({ changes }) => {
    const outcome = { status: 'success', code: 'recorded' }
    expect(plan({ ...metered, ...changes })).toEqual({
      ...{ keepsClaim: true, requestsCheck: true, outcome },
    })
  })
})
