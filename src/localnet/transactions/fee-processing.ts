/** Taking fees when a ledger begins, and giving back what was not used when it is done. */
import type { Overlay } from '../ledger/entry-store.ts'
import { roomForBalance } from '../ledger/reserves.ts'
import { smaller } from '../ledger/smaller.ts'
import { loadAccount, requireAccount, storeAccount } from '../ledger/typed-entries.ts'
import type { Envelope } from './envelope.ts'
import { chargedFee } from './fees.ts'
import { phaseOf } from './ledger-resources.ts'
import type { RefundableFee } from './refundable-fee-tracker.ts'
import type { BaseFees } from './surge-pricing.ts'

interface TakenFee {
  readonly total: bigint
  readonly inclusion: bigint
}

/** Never more than the payer has; reserves do not count here, they are looked at when applying. */
export function takeFee(
  overlay: Overlay,
  envelope: Envelope,
  { ledger, baseFees }: { readonly ledger: number; readonly baseFees: BaseFees },
): TakenFee {
  const payer = requireAccount(overlay, envelope.feeSource)
  const { total, inclusion } = chargedFee(envelope, baseFees[phaseOf(envelope)])
  const taken = smaller(total, payer.balance)
  payer.balance -= taken
  storeAccount(overlay, payer, ledger)
  return { total: taken, inclusion }
}

interface Refund {
  readonly fee: RefundableFee | undefined
  readonly ledger: number
}

/** What was given back; nothing to a payer who is gone or could not hold it. */
export function refundFee(overlay: Overlay, envelope: Envelope, { fee, ledger }: Refund): bigint {
  const refund = fee?.refund ?? 0n
  if (refund === 0n) return 0n
  const payer = loadAccount(overlay, envelope.feeSource)
  if (!payer || roomForBalance(payer) < refund) return 0n
  payer.balance += refund
  storeAccount(overlay, payer, ledger)
  return refund
}
