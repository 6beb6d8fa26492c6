/* Labels as the monitor of the Facilitator shop/payments adds them. */

export const ofPayments = { namespace: 'shop', facilitator: 'payments' }
export const payments = 'namespace="shop",facilitator="payments"'
export const onTestnet = { ...ofPayments, channelpool: 'testnet', network: 'stellar:testnet' }
export const onNetwork = `${payments},channelpool="testnet",network="stellar:testnet"`

/** A warning of `/health`. */
export const warning = (code: string): string => `svc_health_warnings{${payments},code="${code}"}`

/* Labels as the monitor of the operator adds them. */

export const ofInstall = { namespace: 'x402-system', job: 'x402-system/stellar-x402' }
export const install = 'namespace="x402-system",job="x402-system/stellar-x402"'
/** Of an operator of another release, which watches other namespaces. */
export const otherInstall = 'namespace="team-b",job="team-b/stellar-x402"'

/** Of the metrics of one ChannelPool; `namespace` is that of the pool. */
export const ofPool = {
  job: ofInstall.job,
  kind: 'ChannelPool',
  namespace: 'shop',
  name: 'testnet',
  channelpool: 'testnet',
}
export const pool = `job="${ofInstall.job}",kind="ChannelPool",namespace="shop",name="testnet",channelpool="testnet"`
/** Of what a pool's status says about its rotation: the operator adds no kind to it. */
export const ofRotatingPool = {
  job: ofInstall.job,
  namespace: 'shop',
  name: 'testnet',
  channelpool: 'testnet',
}
export const rotatingPool = `job="${ofInstall.job}",namespace="shop",name="testnet",channelpool="testnet"`
export const ofFacilitator = {
  job: ofInstall.job,
  kind: 'Facilitator',
  namespace: 'shop',
  name: 'payments',
  facilitator: 'payments',
}
export const facilitator = `job="${ofInstall.job}",kind="Facilitator",namespace="shop",name="payments",facilitator="payments"`

/** The given matchers for rules of each scope, as in the cluster of these series. */
export const matchers = {
  facilitator: payments,
  resource: `job="${ofInstall.job}"`,
  operator: install,
}
