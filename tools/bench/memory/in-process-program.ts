/** Starts a facilitator inside itself, with a store in memory, and says so. */
const { RPC_URL: rpcUrl = '', SPONSOR_SECRET: sponsorSecret = '', CHANNELS = '' } = process.env

const startedAt = performance.now()
const { createFacilitator } = await import('../../../src/package/facilitator.ts')
await using facilitator = await createFacilitator({
  networks: {
    'stellar:testnet': { rpcUrls: [rpcUrl], sponsorSecret, channels: Number(CHANNELS) },
  },
  store: { kind: 'memory' },
})
const { kinds } = await facilitator.getSupported()
const startMs = performance.now() - startedAt
const { user, system } = process.cpuUsage()
process.stdout.write(
  `${JSON.stringify({ kinds: kinds.length, startMs, cpuMs: (user + system) / 1_000 })}\n`,
)
await new Promise((resolve) => process.once('SIGTERM', resolve))
