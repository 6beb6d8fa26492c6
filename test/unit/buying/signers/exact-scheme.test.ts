import { expect, test } from 'vitest'
import { ExactAccountScheme } from '../../../../src/buying/signers/exact-scheme.ts'
import { RefusedOffer } from '../../../../src/buying/signers/refused-offer.ts'
import { asset, payer, seller } from '../../payments/protocol/payment-builder.ts'

const offered = {
  scheme: 'exact',
  network: 'stellar:testnet',
  asset,
  amount: '100000',
  payTo: seller,
  maxTimeoutSeconds: 60,
  extra: { areFeesSponsored: true },
} as const
const scheme = new ExactAccountScheme({
  address: payer,
  signAuthEntry: () => Promise.reject(new Error('it was signed')),
})

test.each([
  [{ scheme: 'upto' }, 'The scheme is upto, not exact'],
  [{ network: 'stellar:other' }, 'The network stellar:other is not known'],
  [{ extra: {} }, 'The seller does not sponsor the fees'],
  [{ asset: payer }, `The asset is ${payer}`],
  [{ payTo: 'seller' }, 'payTo is seller, no address'],
  [{ amount: '0' }, 'The amount 0 is no positive number of base units'],
  [{ amount: String(2n ** 127n) }, `The amount ${2n ** 127n} is no positive number of base units`],
  [{ maxTimeoutSeconds: 0 }, 'maxTimeoutSeconds is 0, expected a positive number'],
  [
    { maxTimeoutSeconds: 901 },
    'The authorization would be valid for 901 s, and maxTimeoutSeconds allows 900',
  ],
])('signs nothing for an offer with %j', async (change, says) => {
  const asked = scheme.createPaymentPayload(2, { ...offered, ...change } as never)
  const failure = await asked.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(RefusedOffer)
  expect(failure).toMatchObject({ says })
})
