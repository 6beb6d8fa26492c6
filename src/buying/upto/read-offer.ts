import type { PaymentRequirements } from '@x402/core/types'
import { UPTO_PROFILE, UPTO_SCHEME, uptoExtraSchema } from '../../payments/schemes/upto/terms.ts'
import { isNetworkId, type NetworkId } from '../../platform/core/caip2.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import { readAmount } from '../../stellar/values/read-amount.ts'
import { RefusedOffer, tooLongValid } from '../signers/refused-offer.ts'

/** The terms that the seller asks the buyer to sign. */
export interface Offer {
  readonly network: NetworkId
  /** Token contract, `C...`. */
  readonly asset: string
  /** `G...` or `C...` */
  readonly payTo: string
  /** Base units of the token. */
  readonly ceiling: bigint
  readonly maxTimeoutSeconds: number
  /** Settlement contract, `C...`. */
  readonly contract: string
  /** Settlement authority, `G...`. */
  readonly authority: string
}

/** The terms that the buyer accepts. */
export interface OfferLimits {
  /** `G...` or `C...` */
  readonly payer: string
  /** The highest ceiling, in base units, by token contract. */
  readonly maxAmounts: Readonly<Record<string, bigint>>
  readonly maxTimeoutSeconds: number
}

/** Reads payment requirements. Throws RefusedOffer unless they keep to the terms of the profile and to the buyer's limits. */
export function readOffer(requirements: PaymentRequirements, limits: OfferLimits): Offer {
  const offer = offerOf(requirements)
  const { asset, ceiling, payTo, maxTimeoutSeconds } = offer
  const { payer, maxAmounts } = limits
  const most = Object.hasOwn(maxAmounts, asset) ? maxAmounts[asset] : undefined
  if (most === undefined) {
    throw new RefusedOffer(`The price is in ${asset}`, 'To pay in it, add it to maxAmounts.')
  }
  if (ceiling > most) {
    throw new RefusedOffer(
      `The ceiling is ${ceiling} base units of ${asset}, and maxAmounts allows ${most}`,
    )
  }
  if (maxTimeoutSeconds > limits.maxTimeoutSeconds) {
    throw tooLongValid(maxTimeoutSeconds, limits.maxTimeoutSeconds)
  }
  if (payTo === payer) throw new RefusedOffer(`Payer and payTo are both ${payer}`)
  return offer
}

function offerOf(requirements: PaymentRequirements): Offer {
  const { scheme, network, asset, payTo, amount, maxTimeoutSeconds, extra } = requirements
  if (scheme !== UPTO_SCHEME) throw new RefusedOffer(`The scheme is ${scheme}, not ${UPTO_SCHEME}`)
  if (!isNetworkId(network)) throw new RefusedOffer(`The network ${network} is not known`)
  const terms = uptoExtraSchema.safeParse(extra)
  if (!terms.success) {
    const members = terms.error.issues.map(({ path }) => `extra.${path.join('.')}`)
    throw new RefusedOffer(
      `The offer is not of the profile ${UPTO_PROFILE}: ${members.join(', ')} differ from it`,
    )
  }
  const { uptoContract: contract, authority } = terms.data
  requireKind('asset', asset, ['contract'])
  requireKind('payTo', payTo, ['account', 'contract'])
  requireKind('extra.uptoContract', contract, ['contract'])
  requireKind('extra.authority', authority, ['account'])
  // Other flows settle before the seller knows what was used.
  const flow = extra['paymentFlow'] ?? 'authorization'
  if (flow !== 'authorization') throw new RefusedOffer(`The payment flow ${flow} is not served`)
  const ceiling = readAmount(amount)
  if (ceiling === undefined) {
    throw new RefusedOffer(`The amount ${amount} is no positive number of base units`)
  }
  if (!Number.isFinite(maxTimeoutSeconds) || maxTimeoutSeconds <= 0) {
    throw new RefusedOffer(`maxTimeoutSeconds is ${maxTimeoutSeconds}, expected a positive number`)
  }
  return { network, asset, payTo, ceiling, maxTimeoutSeconds, contract, authority }
}

function requireKind(
  member: string,
  address: string,
  kinds: readonly ('account' | 'contract')[],
): void {
  if (kinds.some((kind) => kind === addressKind(address))) return
  const letters = kinds.map((kind) => (kind === 'account' ? 'G...' : 'C...'))
  throw new RefusedOffer(`${member} is ${address}, expected an address ${letters.join(' or ')}`)
}
