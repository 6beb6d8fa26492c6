import type { Stroops } from '../core/stroops.ts'
import type { PaidCall } from './buyer.ts'
import type { LandedTransaction, LedgerView } from './ledger-view.ts'

export interface Parties {
  readonly buyer: string
  readonly seller: string
  readonly sponsor: string
}

/** Balances of everyone who has a part in a payment; USDC in units of 10^-7. */
export interface Balances {
  readonly buyer: bigint
  readonly seller: bigint
  readonly sponsor: Stroops
}

/** A paid call together with what the ledger says of it. */
export interface WitnessedPayment {
  readonly call: PaidCall
  readonly parties: Parties
  readonly before: Balances
  readonly after: Balances
  readonly landed: LandedTransaction
}

/** Lets somebody pay and compares the ledger before and after: the claims of no party are taken. */
export async function witness(
  ledger: LedgerView,
  parties: Parties,
  pay: () => Promise<PaidCall>,
): Promise<WitnessedPayment> {
  const before = await balancesOf(ledger, parties)
  const call = await pay()
  const [after, landed] = await Promise.all([
    balancesOf(ledger, parties),
    ledger.landed(call.settlement.transaction),
  ])
  return { call, parties, before, after, landed }
}

async function balancesOf(ledger: LedgerView, parties: Parties): Promise<Balances> {
  const [buyer, seller, sponsor] = await Promise.all([
    ledger.usdc(parties.buyer),
    ledger.usdc(parties.seller),
    ledger.lumens(parties.sponsor),
  ])
  return { buyer, seller, sponsor }
}
