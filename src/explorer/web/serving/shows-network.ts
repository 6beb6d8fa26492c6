import type { NetworkId } from '../../../platform/core/caip2.ts'

/** Whether rows say which network they are of: only when they may be of several. */
export const showsNetworkOf = (
  networks: readonly NetworkId[],
  { network }: { readonly network?: NetworkId | undefined },
): boolean => networks.length > 1 && network === undefined
