import { type NetworkId, variablePrefixes } from '../../platform/core/caip2.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'

/** The message, and that of the request which failed before it, if any: it names the cause. */
export const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof RpcError ? `${message}: ${cause.message}` : message

/** A sentence that says what went wrong with Stellar RPC, and what to do. */
export const rpcSentence = (error: RpcError, network: NetworkId): string =>
  `${reasonOf(error)}; see that ${variablePrefixes[network]}RPC_URL names endpoints of ${network} that this machine reaches`
