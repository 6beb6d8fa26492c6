import type {
  AssetAmount,
  MoneyParser,
  Network,
  PaymentRequirements,
  Price,
  SchemeNetworkServer,
} from '@x402/core/types'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import { UPTO_PROFILE, UPTO_SCHEME, uptoExtraSchema } from '../../payments/schemes/upto/terms.ts'

/** An entry of a facilitator's `/supported`. */
interface SupportedKind {
  readonly network: Network
  readonly extra?: Record<string, unknown>
}

const ASSET_DECIMALS = 7

/**
 * Sells with a ceiling: the price of a route is the most that one call may cost. The handler names the actual amount with
 * `chargeUpTo`, or with the stock `setSettlementOverrides`.
 */
export class UptoStellarScheme implements SchemeNetworkServer {
  readonly scheme = UPTO_SCHEME
  /** The newest stock server reads this member and the next; 2.9.0 knows neither. */
  readonly defaultAssetTransferMethod = 'default'
  readonly paymentFlows = {
    default: { supported: ['authorization'], default: 'authorization' },
  } as const
  /** Prices mean the same as in the stock scheme `exact`. */
  readonly #prices = new ExactStellarScheme()

  registerMoneyParser(parser: MoneyParser): this {
    this.#prices.registerMoneyParser(parser)
    return this
  }

  parsePrice(price: Price, network: Network): Promise<AssetAmount> {
    return this.#prices.parsePrice(price, network)
  }

  /**
   * For settlement overrides in dollars. Assets of Stellar have seven decimals; charge a token that has others in base
   * units.
   */
  getAssetDecimals(): number {
    return ASSET_DECIMALS
  }

  /** Copies the facilitator's whole `extra`, which the buyer signs. Throws when its profile is another. */
  async enhancePaymentRequirements(
    requirements: PaymentRequirements,
    kind: SupportedKind,
  ): Promise<PaymentRequirements> {
    const problem = problemOf(kind)
    if (problem !== undefined) throw new Error(problem)
    return { ...requirements, extra: { ...requirements.extra, ...kind.extra } }
  }

  /** The newest stock server asks as it starts, and ends with this message. */
  validateFacilitatorSupport(_network: Network, kind: SupportedKind): string | undefined {
    return problemOf(kind)
  }
}

function problemOf({ network, extra }: SupportedKind): string | undefined {
  if (uptoExtraSchema.safeParse(extra).success) return undefined
  const profile = extra?.['profile']
  return (
    `The facilitator offers ${UPTO_SCHEME} on ${network} in the profile ${JSON.stringify(profile ?? null)}, ` +
    `and this scheme serves ${UPTO_PROFILE}.`
  )
}
