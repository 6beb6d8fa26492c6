import type { NetworkId } from '../core/caip2.ts'
import { usdcContracts } from '../core/caip2.ts'
import { rpcClient } from '../stellar/rpc-client.ts'
import { readTokenMetadata } from '../stellar/token-contract.ts'
import { USDC_DECIMALS } from './usdc.ts'

/** No token has more: 10^38 is the largest power of ten that an amount can hold. */
const MAX_DECIMALS = 38n

/**
 * The decimals of a token: known for USDC, else as its contract says. Undefined when it does not say. Throws `RpcError`
 * when the RPC does not answer.
 */
export async function tokenDecimals(
  { network, rpcUrl }: { readonly network: NetworkId; readonly rpcUrl: string },
  asset: string,
): Promise<number | undefined> {
  if (asset === usdcContracts[network]) return USDC_DECIMALS
  const { decimals } = await readTokenMetadata(rpcClient({ url: rpcUrl }), asset)
  return decimals !== undefined && decimals <= MAX_DECIMALS ? Number(decimals) : undefined
}
