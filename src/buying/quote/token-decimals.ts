import { type NetworkId, usdcContracts } from '../../platform/core/caip2.ts'
import { readTokenMetadata } from '../../stellar/contracts/token-contract.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import { rpcClient } from '../../stellar/rpc/rpc-client.ts'
import { USDC_DECIMALS } from '../offer/usdc.ts'
import { PayFailure } from '../outcome/pay-failure.ts'

/** No token has more: 10^38 is the largest power of ten that an amount can hold. */
const MAX_DECIMALS = 38n

/**
 * The decimals of a token: known for USDC, else as its contract says. Undefined when it does not say. Throws PayFailure
 * when the RPC does not answer.
 */
export async function tokenDecimals(
  { network, rpcUrl }: { readonly network: NetworkId; readonly rpcUrl: string },
  asset: string,
): Promise<number | undefined> {
  if (asset === usdcContracts[network]) return USDC_DECIMALS
  const { decimals } = await readTokenMetadata(rpcClient({ url: rpcUrl }), asset).catch(
    (cause: unknown) => {
      if (!(cause instanceof RpcError)) throw cause
      const says = `the Stellar RPC ${new URL(rpcUrl).origin} does not say how many decimals the token has`
      throw new PayFailure('rpc_unreachable', says, { hint: 'Nothing was paid.', cause })
    },
  )
  return decimals !== undefined && decimals <= MAX_DECIMALS ? Number(decimals) : undefined
}
