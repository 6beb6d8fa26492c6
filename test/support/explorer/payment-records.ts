import type { PaymentRecord } from '../../../src/explorer/records.ts'
import { usdcContracts, usdcIssuers } from '../../../src/platform/core/caip2.ts'

/** A payment as reads return it, with every member that is not optional. */
export const paymentRecord = (changes: Partial<PaymentRecord> = {}): PaymentRecord => ({
  network: 'stellar:testnet',
  epoch: '2026-09-01T00:00:00.000Z',
  ledger: 51_234,
  txHash: 'ab12'.repeat(16),
  scheme: 'exact',
  buyer: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
  seller: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
  amount: '12345000',
  amountDecimal: '1.2345',
  assetContract: usdcContracts['stellar:testnet'],
  asset: `USDC:${usdcIssuers['stellar:testnet']}`,
  assetCode: 'USDC',
  txSource: 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7',
  facilitator: { id: 'acme', displayName: 'Acme Payments' },
  confidence: 'verified-facilitator',
  closedAt: '2026-09-17T12:00:05.000Z',
  ...changes,
})

/** Texts that others may have chosen to harm a page that shows them. */
export const hostileTexts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '\u202egnp.exe\u202c reversed',
  'W'.repeat(500),
  `Z${'\u0351\u0352\u0353'.repeat(80)}algo`,
  'two\nlines\u0000and\u200bhidden',
  '=HYPERLINK("http://evil.example","x")',
  '漢字のサービス名 😀',
  'خدمة الدفع',
] as const
