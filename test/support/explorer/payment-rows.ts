import { createHash } from 'node:crypto'
import type { PaymentRow } from '../../../src/explorer/store/ingest/write-ledgers.ts'

/** Names made of a word: not valid strkeys, which the store does not check. */
const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex')

/** A payment with a hash of its own name. */
export const paymentRow = (name: string, overrides: Partial<PaymentRow> = {}): PaymentRow => ({
  scheme: 'exact',
  ledger: 1_000,
  closedAt: 1_790_000_000,
  txHash: hashOf(name),
  buyer: 'GBUYER',
  seller: 'GSELLER',
  amount: 100_000n,
  asset: 'CASSET',
  txSource: 'GCHANNEL',
  feeCharged: 100n,
  ...overrides,
})
