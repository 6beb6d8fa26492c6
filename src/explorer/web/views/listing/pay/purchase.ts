import type { CatalogListing } from '../../../../../buying/client/catalog-types.ts'
import { isNetworkId } from '../../../../../platform/core/caip2.ts'
import { addressKind } from '../../../../../stellar/accounts/strkey.ts'
import { decimalPrice, isUsdc, type PaymentOption } from '../../catalog/price.ts'

/** The option of a listing that its page shows how to take. Its texts are checked: a program may have them as they are. */
export interface Purchase {
  readonly scheme: string
  /** CAIP-2. */
  readonly network: string
  /** Contract of the asset. */
  readonly asset: string
  readonly isUsdc: boolean
  readonly decimals: number
  /** What a call costs at most, as a decimal of the asset. */
  readonly max: string
  /** The same in base units. */
  readonly maxUnits: string
}

const USDC_DECIMALS = 7

/** The cheapest option in USDC, else the first whose price is known; undefined while none is. */
export function purchaseOf({ accepts, svc }: CatalogListing): Purchase | undefined {
  const known = accepts.flatMap((option, place) => purchase(option, svc.options[place]) ?? [])
  const inUsdc = known
    .filter((each) => each.isUsdc)
    .toSorted((one, other) => (BigInt(one.maxUnits) < BigInt(other.maxUnits) ? -1 : 1))
  return inUsdc[0] ?? known[0]
}

function purchase(
  option: PaymentOption,
  facts: CatalogListing['svc']['options'][number] | undefined,
): Purchase | undefined {
  const { scheme, network, asset, amount } = option
  const max = decimalPrice(option, facts)
  if (max === undefined || !isNetworkId(network) || addressKind(asset) !== 'contract') {
    return undefined
  }
  const decimals = isUsdc(option) ? USDC_DECIMALS : (facts?.decimals ?? 0)
  return { scheme, network, asset, isUsdc: isUsdc(option), decimals, max, maxUnits: amount }
}
