import type { RpcContext } from '../context.ts'

/** Marks the versions as localnet's: this is neither Stellar RPC nor stellar-core. */
export const getVersionInfo = ({ network }: RpcContext) => ({
  version: `${network.host.protocol}.0.0-localnet`,
  commitHash: '',
  buildTimestamp: '',
  captiveCoreVersion: `localnet ${network.host.protocol}.0.0`,
  protocolVersion: network.host.protocol,
})
