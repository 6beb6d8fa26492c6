import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import { type NetworkId, usdcContracts } from '../../platform/core/caip2.ts'

export const USDC_DECIMALS = 7

/** For sentences: USDC by its name, any other token in base units of its contract. */
export const formatPrice = (network: NetworkId, asset: string, units: bigint): string =>
  asset === usdcContracts[network]
    ? `${decimalAmount(units, USDC_DECIMALS)} USDC`
    : `${units} base units of the token ${asset}`
