/** What is still valid of the transactions that waited, now that a ledger is made of them. */

import { breather } from '../event-loop.ts'
import type { AccountId } from '../ledger/account-id.ts'
import { availableBalance } from '../ledger/reserves.ts'
import { loadAccount } from '../ledger/typed-entries.ts'
import { checkValid, type ValidationContext } from './check-valid.ts'
import type { Envelope } from './envelope.ts'

/**
 * Drops what expired or can no longer be paid while it waited, without a trace in the ledger:
 * stellar-core trims its transaction sets the same way.
 */
export async function trimInvalid(
  envelopes: readonly Envelope[],
  context: ValidationContext,
): Promise<Envelope[]> {
  const breathe = breather()
  const funds = new Map<AccountId, bigint>()
  const valid: Envelope[] = []
  for (const envelope of envelopes) {
    await breathe()
    if (checkValid(envelope, context)) continue
    const { feeSource, fee } = envelope
    const left = (funds.get(feeSource) ?? fundsOf(feeSource, context)) - fee
    if (left < 0n) continue
    funds.set(feeSource, left)
    valid.push(envelope)
  }
  return valid
}

function fundsOf(id: AccountId, { view }: ValidationContext): bigint {
  const account = loadAccount(view, id)
  return account ? availableBalance(account) : 0n
}
