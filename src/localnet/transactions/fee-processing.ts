/** Charges fees before a ledger's transactions are applied, and refunds after. */
import type { LedgerTxn } from '../ledger/ledger-txn.ts'
import { maxReceivable } from '../ledger/reserves.ts'
import { loadAccount, requireAccount, storeAccount } from '../ledger/typed-entries.ts'
import type { Envelope } from './envelope.ts'
import { feeToCharge } from './fees.ts'
import { phaseOf } from './ledger-resources.ts'
import type { RefundableFeeTracker } from './refundable-fee-tracker.ts'
import type { BaseFees } from './surge-pricing.ts'

interface ChargedFee {
  readonly total: bigint
  readonly inclusion: bigint
}

/** At most the payer's balance; the reserve does not count here, but when the transaction is applied. */
export function chargeFee(
  ltx: LedgerTxn,
  envelope: Envelope,
  { ledger, baseFees }: { readonly ledger: number; readonly baseFees: BaseFees },
): ChargedFee {
  const payer = requireAccount(ltx, envelope.feeSource)
  const { total, inclusion } = feeToCharge(envelope, baseFees[phaseOf(envelope)])
  const charged = total < payer.balance ? total : payer.balance
  payer.balance -= charged
  storeAccount(ltx, payer, ledger)
  return { total: charged, inclusion }
}

interface Refund {
  readonly fee: RefundableFeeTracker | undefined
  readonly ledger: number
}

/** Returns the refunded stroops: 0 when the payer's account is gone or its balance would overflow. */
export function refundFee(ltx: LedgerTxn, envelope: Envelope, { fee, ledger }: Refund): bigint {
  const refund = fee?.refund ?? 0n
  if (refund === 0n) return 0n
  const payer = loadAccount(ltx, envelope.feeSource)
  if (!payer || maxReceivable(payer) < refund) return 0n
  payer.balance += refund
  storeAccount(ltx, payer, ledger)
  return refund
}
