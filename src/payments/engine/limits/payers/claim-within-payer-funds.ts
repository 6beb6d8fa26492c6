import type { Store } from '../../../../platform/database/open.ts'
import type { Payment } from '../../../schemes/scheme.ts'
import type { ClaimOutcome, ClaimRequest } from '../../../store/settlements/claim/claim-request.ts'
import { readOthersAmount } from '../../../store/settlements/look-up.ts'
import type { ServedNetwork } from '../../network/served-network.ts'
import type { Shortage } from '../limit.ts'
import type { LandedSettlements } from './landed-settlements.ts'

export type FundedClaim =
  | Exclude<ClaimOutcome, { readonly kind: 'funds_unknown' | 'over_funds' }>
  | Shortage

export interface FundsQuestion {
  /** The ledger on which the simulation found enough funds for this payment alone. */
  readonly simulatedOn: number
  /** Whether the payer is known to have other settlements of the asset under way. */
  readonly hasOthers: boolean
  /** The symbol of the asset, for messages. */
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

  if (!limitToFunds || !areFundsShared(network, held.payer, { simulatedOn, hasOthers })) {
    const claimed = await claim()
    if (claimed.kind !== 'funds_unknown') return assertLimited(claimed)
  }
  const balance = await balances.read(held, Math.max(simulatedOn, balances.paidOn(held.payer)))
  const claimed = await claim(balance.amount)
  if (claimed.kind !== 'over_funds') return assertLimited(claimed)
  await landed.finishUpTo(network, held, balance.ledger)
  const again = await claim(balance.amount)
  if (again.kind !== 'over_funds') return assertLimited(again)
  const { amount } = request.facts
  return { kind: 'over_funds', payer: held.payer, amount, symbol, balance }
}

/** Whether other payments of the payer can leave less for this one than its simulation has found. */
const areFundsShared = (
  { payers }: ServedNetwork,
  payer: string,
  { simulatedOn, hasOthers }: Pick<FundsQuestion, 'simulatedOn' | 'hasOthers'>,
): boolean => hasOthers || payers.balances.paidOn(payer) > simulatedOn

/**
 * The shortage for which a claim of the payment would be refused now; undefined when it would not. Reads only: it claims nothing and
 * finishes nothing, so payments of earlier ledgers than that of the balance do not count, which a claim finishes first. Reads nothing
 * for a payer without others under way. Throws `RpcError` when the balance cannot be read.
 */
export async function findShortage(
  { db }: Pick<Store, 'db'>,
  network: ServedNetwork,
  { payer, nonce, asset, amount }: Payment,
  { simulatedOn, hasOthers }: Pick<FundsQuestion, 'simulatedOn' | 'hasOthers'>,
): Promise<Shortage | undefined> {
  const { limitToFunds, balances } = network.payers
  if (!limitToFunds || !areFundsShared(network, payer, { simulatedOn, hasOthers })) return undefined
  const { contract, symbol } = asset
  const since = Math.max(simulatedOn, balances.paidOn(payer))
  const balance = await balances.read({ payer, asset: contract }, since)
  const key = { network: network.id, payer, nonce }
  const others = await readOthersAmount(db, { key, asset: contract, ledger: balance.ledger })
  if (others + amount <= balance.amount) return undefined
  return { kind: 'over_funds', payer, amount, symbol, balance }
}

function assertLimited(claim: ClaimOutcome): FundedClaim {
  if (claim.kind === 'funds_unknown' || claim.kind === 'over_funds') {
    throw new Error(`the claim of a payment is ${claim.kind} although its funds were given`)
  }
  return claim
}
