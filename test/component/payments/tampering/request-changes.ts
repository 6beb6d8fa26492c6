/** Changes to unsigned parts: the price, the accepted entry, and the rest of the request. */
import type { PaymentBody } from '../../../support/payments.ts'
import type { Change, Parties } from './change.ts'

type Terms = Record<string, unknown>

const termChanges = (where: string, termsOf: (body: PaymentBody) => Terms): readonly Change[] => {
  const change = (
    what: string,
    changed: (terms: Terms, parties: Parties) => Terms,
    harmless?: string,
  ): Change => ({
    name: `${where}: ${what}`,
    make: ({ body }, parties) => {
      const terms = termsOf(body)
      Object.assign(terms, changed(terms, parties))
    },
    ...(harmless !== undefined && { harmless }),
  })
  return [
    change('another scheme', () => ({ scheme: 'upto' })),
    change('another network', () => ({ network: 'stellar:pubnet' })),
    change('another asset', (_, { otherAsset }) => ({ asset: otherAsset })),
    change('another recipient', (_, { thief }) => ({ payTo: thief.address })),
    change('no recipient', () => ({ payTo: null })),
    change('one unit more', ({ amount }) => ({ amount: `${BigInt(String(amount)) + 1n}` })),
    change('one unit less', ({ amount }) => ({ amount: `${BigInt(String(amount)) - 1n}` })),
    change('the amount with a leading zero', ({ amount }) => ({ amount: `0${amount}` })),
    change('a shorter timeout', () => ({ maxTimeoutSeconds: 299 })),
    change('a timeout out of range', () => ({ maxTimeoutSeconds: 301 })),
    change('fees not sponsored', ({ extra }) => ({
      extra: { ...Object(extra), areFeesSponsored: false },
    })),
    change(
      'a further member of extra',
      ({ extra }) => ({ extra: { ...Object(extra), note: 'for you' } }),
      'only areFeesSponsored of extra means anything in this scheme',
    ),
    change('a further member', () => ({ description: 'a gift' }), 'a description of the offer'),
  ]
}

export const requestChanges: readonly Change[] = [
  ...termChanges('requirements', (body) => body.paymentRequirements),
  ...termChanges('accepted', (body) => body.paymentPayload.accepted),
  {
    name: 'request: another version',
    make: ({ body }) => {
      body.x402Version = 1
    },
  },
  {
    name: 'payload: another version',
    make: ({ body }) => {
      body.paymentPayload.x402Version = 1
    },
  },
  {
    name: 'payload: another resource',
    harmless: 'it says what is bought, which the ledger never hears of',
    make: ({ body }) => {
      body.paymentPayload['resource'] = { url: 'https://other.example/' }
    },
  },
  {
    name: 'payload: extensions',
    harmless: 'they speak of the offer, not of the payment',
    make: ({ body }) => {
      body.paymentPayload['extensions'] = { anything: { at: 'all' } }
    },
  },
  {
    name: 'payload: a further member',
    harmless: 'of the payload the scheme reads the transaction alone',
    make: ({ body }, { thief }) => {
      body.paymentPayload['comment'] = thief.address
    },
  },
]
