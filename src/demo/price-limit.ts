import type { PaymentRequirements } from '@x402/core/types'
import { type NetworkId, usdcContracts } from '../core/caip2.ts'
import { UPTO_SCHEME } from '../upto/client.ts'
import { PayFailure } from './pay-failure.ts'
import { formatPrice, USDC_DECIMALS } from './usdc.ts'

/** The highest ceiling that a buyer signs who named no maximum: the seller alone says what was used. Base units of USDC. */
const DEFAULT_CEILING = 10n ** BigInt(USDC_DECIMALS)

/** The ceilings that a buyer with this maximum signs, by token contract. */
export const ceilings = (network: NetworkId, max = DEFAULT_CEILING): Record<string, bigint> => ({
  [usdcContracts[network]]: max,
})

/**
 * Why a buyer does not pay a price; undefined when it pays.
 *
 * @param max the most to pay, in base units of USDC; any other token is then refused
 */
export function tooExpensive(
  { scheme, asset, amount }: PaymentRequirements,
  network: NetworkId,
  max: bigint | undefined,
): PayFailure | undefined {
  const isMetered = scheme === UPTO_SCHEME
  const most = isMetered ? (max ?? DEFAULT_CEILING) : max
  if (most === undefined) return undefined
  if (asset === usdcContracts[network] && BigInt(amount) <= most) return undefined
  const price = formatPrice(network, asset, BigInt(amount))
  const limit = formatPrice(network, usdcContracts[network], most)
  const is = isMetered ? 'ceiling' : 'price'
  const says =
    max === undefined
      ? `the ${is} is ${price}, and without --max it may be ${limit}`
      : `the ${is} is ${price}, and --max is ${limit}`
  return new PayFailure('too_expensive', says, {
    hint: `Nothing was paid. If you accept the ${is}, give a higher --max in USDC.`,
  })
}
