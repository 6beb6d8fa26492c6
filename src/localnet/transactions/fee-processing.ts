/** Taking fees when a ledger begins, and giving back what was not used when it is done. */
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

/** Never more than the payer has; reserves do not count here, they are looked at when applying. */
export function chargeFee(
  ltx: LedgerTxn,
  envelope: Envelope,
  { ledger, baseFees }: { readonly ledger: number; readonly baseFees: BaseFees },
): ChargedFee {
  const payer = requireAccount(ltx, envelope.feeSource)
  const { total, inclusion } = feeToCharge(envelope, baseFees[phaseOf(envelope)])
  const taken = total < payer.balance ? total : payer.balance
  payer.balance -= taken
  storeAccount(ltx, payer, ledger)
  return { total: taken, inclusion }
}

interface Refund {
  readonly fee: RefundableFeeTracker | undefined
  readonly ledger: number
}

/** What was given back; nothing to a payer who is gone or could not hold it. */
export function refundFee(ltx: LedgerTxn, envelope: Envelope, { fee, ledger }: Refund): bigint {
  const refund = fee?.refund ?? 0n
  if (refund === 0n) return 0n
  const payer = loadAccount(ltx, envelope.feeSource)
  if (!payer || maxReceivable(payer) < refund) return 0n
  payer.balance += refund
  storeAccount(ltx, payer, ledger)
  return refund
}
