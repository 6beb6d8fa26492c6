import type { SchemeName } from '../../payments/protocol/schemes.ts'
import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import { usdcContracts } from '../../platform/core/caip2.ts'
import { cleanBlock, cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import type { Offer } from '../offer/offer.ts'
import { USDC_DECIMALS } from '../offer/usdc.ts'
import type { Quote } from './quote.ts'

/** A quote as JSON. What `seller` holds are the seller's words: cleaned of hidden characters, cut, unchecked. */
export interface QuoteFacts extends OfferFacts {
  readonly url: string
  readonly method: string
  readonly seller: {
    readonly url: string | null
    readonly description: string | null
    readonly mimeType: string | null
  }
  /** The other offers that could be paid in the same token. */
  readonly others: readonly OfferFacts[]
}

interface OfferFacts {
  readonly scheme: SchemeName
  readonly network: string
  readonly asset: string
  /** Base units: the price, or the ceiling of `upto`. */
  readonly amount: string
  /** The same in units of USDC; null for other tokens. */
  readonly usdc: string | null
  readonly payTo: string
  readonly maxTimeoutSeconds: number
}

export function quoteFacts({ call, offer, offers, resource }: Quote): QuoteFacts {
  const { url, description, mimeType } = Object(resource)
  return {
    url: call.url,
    method: call.method ?? 'GET',
    ...offerFacts(offer),
    seller: {
      url: words(url, 2_000),
      description: words(description, 2_000),
      mimeType: words(mimeType, 100),
    },
    others: offers.filter((each) => each !== offer).map(offerFacts),
  }
}

function offerFacts(offer: Offer): OfferFacts {
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds } = offer
  return {
    scheme,
    network,
    asset,
    amount: String(amount),
    usdc: asset === usdcContracts[network] ? decimalAmount(amount, USDC_DECIMALS) : null,
    payTo,
    maxTimeoutSeconds,
  }
}

const words = (text: unknown, length: number): string | null =>
  typeof text === 'string' && text !== '' ? cutTo(length, clean(text)) : null

const clean = (text: string): string => (text.includes('\n') ? cleanBlock(text) : cleanLine(text))
