import { expect, test } from 'vitest'
import { RefusedOffer } from '../../../../src/buying/signers/refused-offer.ts'
import { readOffer } from '../../../../src/buying/upto/read-offer.ts'
import { muxed } from '../../../support/payments.ts'
import { authority, contract, extra, offer, payer, seller, usdc } from './offer.ts'

const limits = { payer, maxAmounts: { [usdc]: 1_000_000n }, maxTimeoutSeconds: 300 }

test('reads an offer that keeps to the terms, at the limits of the buyer', () => {
  expect(readOffer(offer(), limits)).toEqual({
    network: 'stellar:testnet',
    asset: usdc,
    payTo: seller,
    ceiling: 1_000_000n,
    maxTimeoutSeconds: 300,
    contract,
    authority,
  })
})

test.each([
  ['another scheme', { scheme: 'exact' }, /scheme is exact/],
  ['an unknown network', { network: 'stellar:futurenet' as const }, /stellar:futurenet/],
  ['a ceiling above the maximum', { amount: '1000001' }, /1000001 .*maxAmounts allows 1000000/],
  ['another token', { asset: contract }, /To pay in it, add it to maxAmounts/],
  ['no amount', { amount: '0' }, /amount 0/],
  ['a negative amount', { amount: '-1' }, /amount -1/],
  ['an amount in another spelling', { amount: '01' }, /amount 01/],
  ['a fraction', { amount: '1.5' }, /amount 1.5/],
  ['an amount of more than 128 bits', { amount: String(2n ** 127n) }, /amount 1701/],
  ['a muxed recipient', { payTo: muxed(seller) }, /payTo is M/],
  ['a recipient that is no address', { payTo: 'seller' }, /payTo is seller/],
  ['a payment to the payer', { payTo: payer }, /both/],
  ['an asset that is no contract', { asset: seller }, /asset is G/],
  ['a longer validity', { maxTimeoutSeconds: 301 }, /301 s, and maxTimeoutSeconds allows 300/],
  ['no validity', { maxTimeoutSeconds: 0 }, /maxTimeoutSeconds is 0/],
  ['a validity without end', { maxTimeoutSeconds: Number.NaN }, /maxTimeoutSeconds is NaN/],
  ['another profile', { extra: { ...extra, profile: 'stateless' } }, /extra\.profile/],
  ['no profile', { extra: { areFeesSponsored: true } }, /extra\.profile/],
  ['no extra', { extra: undefined as never }, /profile authority-v1/],
  ['fees of its own', { extra: { ...extra, areFeesSponsored: false } }, /areFeesSponsored/],
  ['a contract that is an account', { extra: { ...extra, uptoContract: seller } }, /uptoContract/],
  ['an authority that is a contract', { extra: { ...extra, authority: contract } }, /authority/],
  ['another payment flow', { extra: { ...extra, paymentFlow: 'upfront' } }, /upfront/],
])('refuses %s', (_what, changes, message) => {
  expect(() => readOffer(offer(changes), limits)).toThrow(RefusedOffer)
  expect(() => readOffer(offer(changes), limits)).toThrow(message)
})

test('takes no member of an object for a token', () => {
  const asset = offer({ asset: contract })
  expect(() =>
    readOffer(asset, { ...limits, maxAmounts: Object.create({ [contract]: 9n }) }),
  ).toThrow(RefusedOffer)
})
