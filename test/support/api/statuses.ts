const account = (last: string) => `G${'A'.repeat(54)}${last}`
const hash = (digit: string) => digit.repeat(64)
const at = '2026-01-02T03:04:05Z'

const condition = (type: string, reason: string) => ({
  type,
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: at,
  reason,
  message: `${reason}, as a person would say it`,
})

/** A status of a ChannelPool with every field set. */
export const poolStatus = {
  observedGeneration: 1,
  conditions: [condition('Ready', 'ChannelsReady'), condition('Funded', 'SponsorFunded')],
  summary: { channels: '7/8' },
  channels: { wanted: 8, ready: 7, inUse: 3, draining: 1, quarantined: 1, accounts: 9 },
  sponsor: { address: account('B'), balanceXlm: '1234.5', spendableXlm: '1184.5', runwayHours: 72 },
  lastTransaction: { kind: 'Create', hash: hash('a'), channels: 8, ledger: 4_294_967_295, at },
  autoscale: { channels: 8, changedAt: at, idleSince: at },
  quarantined: [{ index: 4, account: account('C'), because: 'its sequence number is stuck' }],
  usedBy: ['payments'],
  deletion: {
    policy: 'Retire',
    startedAt: at,
    accountsLeft: 9,
    unfinished: 1,
    unfinishedHashes: [hash('b')],
  },
}

/** A status of a Facilitator with every field set. */
export const facilitatorStatus = {
  observedGeneration: 1,
  conditions: [condition('Ready', 'Serving'), condition('StoreReachable', 'StoreAnswers')],
  summary: { replicas: '2/2', networks: 'stellar:testnet' },
  replicas: 2,
  readyReplicas: 2,
  selector: 'app.kubernetes.io/component=facilitator,x402.svc.dev/facilitator=payments',
  url: 'https://pay.example',
  explorerUrl: 'https://see.example',
  image: `registry.example/svc@sha256:${hash('0')}`,
  networks: [
    {
      channelPool: 'testnet',
      network: 'stellar:testnet',
      ready: true,
      reason: 'ChannelsReady',
    },
  ],
  parts: [{ name: 'Facilitator', deployment: 'payments', wanted: 2, ready: 2, updated: 2 }],
  migration: {
    job: 'payments-migrate-0123abcd',
    image: 'registry.example/svc:v1',
    state: 'Succeeded',
    finishedAt: at,
  },
  failingPods: [{ name: 'payments-0', reason: 'CrashLoopBackOff', message: 'it exits with 78' }],
}
