import { isMetered } from '../../payments/protocol/schemes.ts'
import { usdcContracts } from '../../platform/core/caip2.ts'
import type { Offer } from '../offer/offer.ts'
import { formatPrice } from '../offer/usdc.ts'
import { PayFailure } from '../outcome/pay-failure.ts'

/** The terms that a buyer accepts. */
export interface PayLimits {
  /** The most that may be signed for this call, price or ceiling: base units of the token. */
  readonly maxAmount: bigint
  /** Token contract, `C...`. @default USDC of the network */
  readonly asset?: string | undefined
}

/** Why a buyer signs nothing for an offer; undefined when it signs. */
export function refuseOffer(
  { scheme, network, asset, amount }: Offer,
  { maxAmount, asset: accepted = usdcContracts[network] }: PayLimits,
): PayFailure | undefined {
  const hint = 'Nothing was paid.'
  if (asset !== accepted) {
    const says = `the price is in the token ${asset}, and only ${accepted} may be paid`
    return new PayFailure('other_asset', says, { hint })
  }
  if (amount <= maxAmount) return undefined
  const [price, limit] = [amount, maxAmount].map((units) => formatPrice(network, asset, units))
  const is = isMetered(scheme) ? 'ceiling' : 'price'
  return new PayFailure('too_expensive', `the ${is} is ${price}, and the most to pay is ${limit}`, {
    hint: `${hint} If you accept the ${is}, raise the most to pay.`,
  })
}

/** The seller asks something else than it quoted; `now` is undefined when it asks for none in the token. */
export function changedOffer(url: string, quoted: Offer, now: Offer | undefined): PayFailure {
  const hint = 'Nothing was paid. Ask for the price again.'
  const members = ['scheme', 'asset', 'amount', 'payTo', 'maxTimeoutSeconds'] as const
  const changed = now ? members.filter((member) => quoted[member] !== now[member]) : []
  const says =
    changed.length === 0
      ? 'no longer offers what it quoted'
      : `changed its offer: ${changed.map((member) => `${member} was ${quoted[member]} and is ${now?.[member]}`).join(', ')}`
  return new PayFailure('offer_changed', `${url} ${says}`, { hint })
}
