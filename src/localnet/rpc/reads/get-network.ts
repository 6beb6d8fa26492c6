import type { RpcContext } from '../context.ts'

export const getNetwork = ({ network, friendbotUrl }: RpcContext) => ({
  friendbotUrl,
  passphrase: network.passphrase,
  protocolVersion: network.host.protocol,
})
