import type { ClaimOutcome, ClaimRequest } from '../store/settlements/claim-request.ts'
import type { LandedSettlements } from './landed-settlements.ts'
import type { ServedNetwork } from './served-network.ts'

export type FundedClaim =
  | Exclude<ClaimOutcome, { readonly kind: 'funds_unknown' | 'over_funds' }>
  | { readonly kind: 'insufficient_funds'; readonly message: string }

export interface FundsQuestion {
  /** The ledger on which the simulation found enough funds for this payment alone. */
  readonly simulatedOn: number
  /** Whether the payer is known to have other settlements of the asset under way. */
  readonly hasOthers: boolean
  /** Of the asset, for messages. */
  readonly symbol: string
}

/**
 * Claims an authorization unless the payer's unfinished settlements of the asset would exceed its balance: all
 * but the first would fail on the ledger, at the sponsor's cost. The balance is read only when the payer has
 * others under way, or has paid since the simulation. Throws `RpcError` when it cannot be read.
 */
export async function claimWithinFunds(
  landed: LandedSettlements,
  network: ServedNetwork,
  request: Omit<ClaimRequest, 'limitToFunds' | 'funds'>,
  { simulatedOn, hasOthers, symbol }: FundsQuestion,
): Promise<FundedClaim> {
  const { limitToFunds, balances } = network.payers
  const held = { payer: request.key.payer, asset: request.facts.asset }
  const claim = (funds?: bigint) => network.claims.write({ ...request, limitToFunds, funds })
  const hasPaidSince = balances.paidOn(held.payer) > simulatedOn

  if (!limitToFunds || !(hasOthers || hasPaidSince)) {
    const claimed = await claim()
    if (claimed.kind !== 'funds_unknown') return assertLimited(claimed)
  }
  const balance = await balances.read(held, Math.max(simulatedOn, balances.paidOn(held.payer)))
  const claimed = await claim(balance.amount)
  if (claimed.kind !== 'over_funds') return assertLimited(claimed)
  await landed.finishUpTo(network, held, balance.ledger)
  const again = await claim(balance.amount)
  if (again.kind !== 'over_funds') return assertLimited(again)
  const { payer } = held
  const { amount } = request.facts
  return {
    kind: 'insufficient_funds',
    message:
      `the payer ${payer} holds ${balance.amount} base units of ${symbol} on ledger ${balance.ledger}; ` +
      `its unfinished payments leave less than the ${amount} of this one`,
  }
}

function assertLimited(claim: ClaimOutcome): FundedClaim {
  if (claim.kind === 'funds_unknown' || claim.kind === 'over_funds') {
    throw new Error(`the claim of a payment is ${claim.kind} although its funds were given`)
  }
  return claim
}
