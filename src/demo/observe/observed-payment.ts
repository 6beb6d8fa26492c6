import type { PaidCall } from '../../buying/pay/timed-call.ts'
import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import type { LandedTransaction, LedgerReader } from './ledger-reader.ts'

export interface Parties {
  readonly buyer: string
  readonly seller: string
  readonly sponsor: string
}

/** Balances of the parties of a payment; USDC in units of 10^-7. */
interface Balances {
  readonly buyer: bigint
  readonly seller: bigint
  readonly sponsor: Stroops
}

/** A paid call and its effect on the ledger. */
export interface ObservedPayment {
  readonly call: PaidCall
  readonly parties: Parties
  readonly before: Balances
  readonly after: Balances
  readonly landed: LandedTransaction
}

const never = new AbortController().signal

/**
 * Reads the balances from the ledger, rather than trust any party's word: now, and in the function that it returns, which takes the call that
 * was paid meanwhile. `stop` ends the reading before the payment, `now` the one after it.
 */
export async function observePayment(
  ledger: LedgerReader,
  parties: Parties,
  { stop, now } = { stop: never, now: never },
): Promise<(call: PaidCall) => Promise<ObservedPayment>> {
  const before = await untilAborted(stop, balancesOf(ledger, parties))
  return async (call) => {
    const [after, landed] = await untilAborted(
      now,
      Promise.all([balancesOf(ledger, parties), ledger.landed(call.settlement.transaction)]),
    )
    return { call, parties, before, after, landed }
  }
}

async function balancesOf(ledger: LedgerReader, parties: Parties): Promise<Balances> {
  const [buyer, seller, sponsor] = await Promise.all([
    ledger.usdc(parties.buyer),
    ledger.usdc(parties.seller),
    ledger.lumens(parties.sponsor),
  ])
  return { buyer, seller, sponsor }
}
