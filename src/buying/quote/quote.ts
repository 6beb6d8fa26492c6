import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired, ResourceInfo } from '@x402/core/types'
import { type NetworkId, usdcContracts } from '../../platform/core/caip2.ts'
import { type Offer, readOffer } from '../offer/offer.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import { failureWithoutAnswer, noPrice, notPayable } from '../outcome/unpaid-answer.ts'
import type { RequestLimits, SellerCall, SellerHttp } from '../seller/seller-http.ts'

/** The network and the token in which the buyer pays, and the limits of the call. */
export interface QuoteOptions {
  readonly network: NetworkId
  /** Token contract, `C...`. @default USDC of the network */
  readonly asset?: string | undefined
  /** Limits of the unpaid call. @default 30 s, 64 KiB */
  readonly limits?: Partial<RequestLimits> | undefined
}

/** The price of a call. */
export interface Quote {
  readonly call: SellerCall
  /** The offer that `pay` pays: the cheapest of those in the token; of equal ones the seller's first. */
  readonly offer: Offer
  /** All that could be paid in the token, cheapest first. */
  readonly offers: readonly Offer[]
  /** The statement of the seller about itself, unchecked. Its `url` need not be the one called. */
  readonly resource: ResourceInfo | undefined
  /** The whole message of the seller. */
  readonly required: PaymentRequired
}

const UNPAID: RequestLimits = { timeLimitMs: 30_000, maxBytes: 65_536 }

/**
 * Asks for the price of a call: one request without a payment, which follows no redirect. Throws PayFailure unless the
 * answer is a 402 with an offer that can be paid on the network and in the token.
 */
export async function quote(
  http: SellerHttp,
  call: SellerCall,
  { network, asset = usdcContracts[network], limits }: QuoteOptions,
): Promise<Quote> {
  const { url } = call
  const answer = await http.send(call, { ...UNPAID, ...limits }).catch((error: unknown) => {
    limits?.signal?.throwIfAborted()
    throw failureWithoutAnswer(url, error, undefined)
  })
  limits?.signal?.throwIfAborted()
  const header = answer.headers.get('payment-required')
  if (answer.status !== 402) throw noPrice(url, answer)
  const required = header === null ? undefined : readRequired(header)
  if (!required) throw notPayable(url, answer)

  const read = required.accepts.map((entry) => readOrDescribe(entry, network))
  const known = read.filter((each) => typeof each !== 'string')
  if (known.length === 0) {
    const others = read.filter((each) => typeof each === 'string')
    throw notPayable(url, answer, { network, others })
  }
  const offers = known
    .filter((each) => each.asset === asset)
    .toSorted((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0))
  const [offer] = offers
  if (!offer) throw otherAsset(url, known, asset)
  return { call, offer, offers, resource: required.resource, required }
}

/** A seller may also send objects that are no text where text is expected, and that throw when they become some. */
function readOrDescribe(entry: unknown, network: NetworkId): Offer | string {
  try {
    return readOffer(entry, network)
  } catch {
    return 'something that is no offer'
  }
}

/** undefined for anything but a price of x402 version 2. */
function readRequired(header: string): PaymentRequired | undefined {
  try {
    const required = decodePaymentRequiredHeader(header)
    const isPrice = required.x402Version === 2 && Array.isArray(required.accepts)
    return isPrice && !isDeep(required) ? required : undefined
  } catch {
    return undefined
  }
}

/** No price needs as many levels. What has thousands overflows the stack of whatever reads or writes it. */
const MAX_DEPTH = 64

const isDeep = (value: unknown, levels = MAX_DEPTH): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeep(member, levels - 1)))

function otherAsset(url: string, offers: readonly Offer[], asset: string): PayFailure {
  const tokens = [...new Set(offers.map((offer) => offer.asset))].join(', ')
  return new PayFailure('other_asset', `${url} takes the token ${tokens}, not ${asset}`, {
    hint: 'Nothing was paid. To pay in another token, name its contract.',
  })
}
