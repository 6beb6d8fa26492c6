/** Labels by which a route of Alertmanager finds the team. */
export const ofFacilitator = { namespace: 'shop', facilitator: 'payments' }
export const ofNetwork = { ...ofFacilitator, channelpool: 'testnet', network: 'stellar:testnet' }
export const ofPool = (name: string) => ({
  ...{ job: 'x402-system/stellar-x402', namespace: 'shop', kind: 'ChannelPool' },
  ...{ name, channelpool: name },
})
/** Series of a rotation have no kind. */
export const ofRotation = (name: string, phase: string) => ({
  ...{ job: 'x402-system/stellar-x402', namespace: 'shop' },
  ...{ name, channelpool: name, phase },
})
export const ofOperator = { namespace: 'x402-system', job: 'x402-system/stellar-x402' }
