import type { PaymentRequirements } from '@x402/core/types'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'

export const usdc = usdcContracts['stellar:testnet']
export const payer = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
export const seller = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN'
export const authority = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'
/** Any contract. */
export const contract = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'

export const extra = {
  areFeesSponsored: true,
  profile: 'authority-v1',
  uptoContract: contract,
  authority,
}

/** Requirements with a ceiling of 0.1 USDC. */
export const offer = (changes: Partial<PaymentRequirements> = {}): PaymentRequirements => ({
  scheme: 'upto',
  network: 'stellar:testnet',
  asset: usdc,
  payTo: seller,
  amount: '1000000',
  maxTimeoutSeconds: 300,
  extra,
  ...changes,
})
