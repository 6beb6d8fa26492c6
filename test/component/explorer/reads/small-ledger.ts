import type { PaymentRow } from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import { usdcIssuers } from '../../../../src/platform/core/caip2.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { addressOf, submitters } from './feed-data.ts'
import { NOW } from './world.ts'

/** Addresses by what they do. */
export const who = {
  shop: addressOf('G', 'shop'),
  store: addressOf('G', 'store'),
  listed: addressOf('G', 'listed'),
  agent: addressOf('G', 'agent'),
  bot: addressOf('C', 'bot'),
  usdc: addressOf('C', 'usdc'),
  native: addressOf('C', 'native'),
  token: addressOf('C', 'token'),
  sponsor: addressOf('G', 'sponsor'),
} as const

const [own, other, nobody] = submitters

/** @param hours before the world's time */
const at = (hours: number): number => NOW / 1_000 - hours * 3_600

const usdc = {
  asset: who.usdc,
  classic: { code: 'USDC', issuer: usdcIssuers['stellar:testnet'] },
}

/** Everything that a payment record can have. */
export const full = paymentRow('full', {
  ...usdc,
  scheme: 'upto',
  ledger: 4_900,
  closedAt: at(1),
  buyer: who.bot,
  seller: who.shop,
  amount: 12_345_000n,
  ceiling: 20_000_000n,
  txSource: own.source,
  feeSource: who.sponsor,
  feeCharged: 4_242n,
  sigExpirationLedger: 4_950,
  memo: 'order 7',
  muxedId: 2n ** 64n - 1n,
})

/** As little as a payment record can have: in a token whose decimals nobody knows. */
export const least = paymentRow('least', {
  ledger: 4_800,
  closedAt: at(2),
  buyer: who.agent,
  seller: who.shop,
  amount: 10n ** 39n - 1n,
  asset: who.token,
  txSource: nobody.source,
})

/** Of testnet: `full` and `least` today, one three days ago, one three weeks ago, one half a year ago. */
export const testnet: readonly PaymentRow[] = [
  full,
  least,
  paymentRow('three days', {
    ...usdc,
    ledger: 4_000,
    closedAt: at(72),
    buyer: who.agent,
    seller: who.shop,
    amount: 5_000_000n,
    txSource: other.source,
  }),
  paymentRow('three weeks', {
    asset: who.native,
    classic: { code: 'XLM' },
    ledger: 3_000,
    closedAt: at(21 * 24),
    buyer: who.agent,
    seller: who.store,
    amount: 10_000_000n,
    txSource: other.source,
  }),
  paymentRow('half a year', {
    ...usdc,
    ledger: 100,
    closedAt: at(183 * 24),
    buyer: who.shop,
    seller: who.shop,
    amount: 1n,
    txSource: nobody.source,
  }),
]

/** Of pubnet: one payment between addresses that are on testnet too. */
export const pubnet: readonly PaymentRow[] = [
  paymentRow('on pubnet', {
    ledger: 60_000_000,
    closedAt: at(30),
    buyer: who.agent,
    seller: who.shop,
    amount: 7_000_000n,
    asset: addressOf('C', 'watched'),
    classic: { code: 'USDC', issuer: usdcIssuers['stellar:pubnet'] },
    txSource: other.source,
  }),
]
