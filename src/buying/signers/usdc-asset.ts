import { networkIds, usdcContracts } from '../../platform/core/caip2.ts'

const USDC_DECIMALS = 7
const ONE_USDC = 10n ** BigInt(USDC_DECIMALS)

/** One USDC, by the contract of each network. */
export const oneUsdc: Readonly<Record<string, bigint>> = Object.fromEntries(
  networkIds.map((id) => [usdcContracts[id], ONE_USDC]),
)

/** What the newest stock client asks of a scheme: it pays in the assets that this names, up to its own `spendControls`. */
export function findUsdc(asset: string, network: string) {
  const isUsdc = networkIds.some((id) => id === network && usdcContracts[id] === asset)
  return isUsdc ? { asset, symbol: 'USDC', decimals: USDC_DECIMALS } : undefined
}
