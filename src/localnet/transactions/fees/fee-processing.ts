/** Charges fees before a ledger's transactions are applied, and refunds after. */
import type { Account } from '../../ledger/account.ts'
import { LedgerTxn } from '../../ledger/ledger-txn.ts'
import { maxReceivable } from '../../ledger/reserves.ts'
import { loadAccount, requireAccount, storeAccount } from '../../ledger/typed-entries.ts'
import { encodeChanges } from '../apply/meta.ts'
import type { Envelope } from '../envelope.ts'
import type { BaseFees } from '../set/surge-pricing.ts'
import { phaseOf } from '../soroban/ledger-resources.ts'
import { feeToCharge } from './fees.ts'
import type { RefundableFeeTracker } from './refundable-fee-tracker.ts'

interface ChargedFee {
  readonly total: bigint
  readonly inclusion: bigint
  /** LedgerEntryChange XDR. */
  readonly changes: readonly Uint8Array[]
}

/**
 * At most the payer's balance; the reserve does not count here, but when the transaction is applied.
 * stellar-core's `processFeeSeqNum`.
 */
export function chargeFee(
  ltx: LedgerTxn,
  envelope: Envelope,
  { ledger, baseFees }: { readonly ledger: number; readonly baseFees: BaseFees },
): ChargedFee {
  const payer = requireAccount(ltx, envelope.feeSource)
  const { total, inclusion } = feeToCharge(envelope, baseFees[phaseOf(envelope)])
  const charged = total < payer.balance ? total : payer.balance
  payer.balance -= charged
  return { total: charged, inclusion, changes: storePayer(ltx, payer, ledger) }
}

interface Refund {
  readonly fee: RefundableFeeTracker | undefined
  readonly ledger: number
}

interface RefundedFee {
  /** Stroops: 0 when the payer's account is gone or its balance would overflow. */
  readonly refunded: bigint
  /** LedgerEntryChange XDR; empty without a refund. */
  readonly changes: readonly Uint8Array[]
}

const NO_REFUND: RefundedFee = { refunded: 0n, changes: [] }

/** stellar-core's `refundSorobanFee`. */
export function refundFee(
  ltx: LedgerTxn,
  envelope: Envelope,
  { fee, ledger }: Refund,
): RefundedFee {
  const refund = fee?.refund ?? 0n
  if (refund === 0n) return NO_REFUND
  const payer = loadAccount(ltx, envelope.feeSource)
  if (!payer || maxReceivable(payer) < refund) return NO_REFUND
  payer.balance += refund
  return { refunded: refund, changes: storePayer(ltx, payer, ledger) }
}

function storePayer(parent: LedgerTxn, payer: Account, ledger: number): Uint8Array[] {
  const ltx = new LedgerTxn(parent)
  storeAccount(ltx, payer, ledger)
  const changes = encodeChanges(ltx.changes())
  ltx.commit()
  return changes
}
