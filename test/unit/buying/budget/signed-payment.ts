import type { SignedPayment } from '../../../../src/buying/budget/recorded-payment.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'

/** A payment as a budget records it. */
export const signed: SignedPayment = {
  scheme: 'exact',
  payTo: 'GPAYEE',
  asset: usdcContracts['stellar:testnet'],
  payer: 'GPAYER',
  nonce: -(2n ** 62n) - 1n,
  afterLedger: 100,
  lastLedger: 112,
}
