import type { RpcContext } from './context.ts'

/** There is no build of Stellar RPC or stellar-core in here, and the versions say so. */
export const getVersionInfo = ({ network }: RpcContext) => ({
  version: `${network.host.protocol}.0.0-localnet`,
  commitHash: '',
  buildTimestamp: '',
  captiveCoreVersion: `localnet ${network.host.protocol}.0.0`,
  protocolVersion: network.host.protocol,
})
