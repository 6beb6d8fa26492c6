import { periodicYield } from '../../closing/event-loop.ts'
import type { AccountId } from '../../ledger/account-id.ts'
import { availableBalance } from '../../ledger/reserves.ts'
import { loadAccount } from '../../ledger/typed-entries.ts'
import type { Envelope } from '../envelope.ts'
import { checkValid, type ValidationContext } from '../valid/check-valid.ts'

/**
 * The envelopes that are still valid and that their fee sources can still pay for, all together; the
 * others leave no trace in the ledger (stellar-core's TxSetUtils::trimInvalid).
 */
export async function trimInvalid(
  envelopes: readonly Envelope[],
  context: ValidationContext,
): Promise<Envelope[]> {
  const yieldIfDue = periodicYield()
  const balances = new Map<AccountId, bigint>()
  const valid: Envelope[] = []
  for (const envelope of envelopes) {
    await yieldIfDue()
    if (checkValid(envelope, context)) continue
    const { feeSource, fee } = envelope
    const left = (balances.get(feeSource) ?? balanceOf(feeSource, context)) - fee
    if (left < 0n) continue
    balances.set(feeSource, left)
    valid.push(envelope)
  }
  return valid
}

function balanceOf(id: AccountId, { reader }: ValidationContext): bigint {
  const account = loadAccount(reader, id)
  return account ? availableBalance(account) : 0n
}
