/**
 * A facilitator in a process of its own, put together as `svc serve` does it, that stops at a point
 * of a settlement when told to, and tells who started it. It ends with who started it.
 */
import { openFacilitator } from '../../src/cli/open-facilitator.ts'
import { loadServeConfig } from '../../src/config/serve.ts'
import { passphrases } from '../../src/core/caip2.ts'
import { systemClock } from '../../src/core/clock.ts'
import { asStroops } from '../../src/core/stroops.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { rpcClients } from '../../src/stellar/rpc-client.ts'
import { rpcPool } from '../../src/stellar/rpc-pool.ts'
import { openStore } from '../../src/store/open.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { type AtPoint, type CrashPoint, watchedRpc, watchStatements } from './crash-points.ts'
import type { FromReplica, ReplicaSettings, ToReplica } from './crash-replica.ts'

const settings: ReplicaSettings = JSON.parse(process.argv[2] ?? '{}')
const tell = (words: FromReplica) => process.send?.(words)

let armed: CrashPoint | undefined
/** How many more settlements stop there. */
let left = 0
const held: Array<() => void> = []
const at: AtPoint = async (point) => {
  if (armed !== point || left === 0) return
  left -= 1
  const mayGoOn = Promise.withResolvers<void>()
  held.push(mayGoOn.resolve)
  tell({ reached: point })
  await mayGoOn.promise
}
process.on('message', (words: ToReplica) => {
  if (words === 'go') for (const goOn of held.splice(0)) goOn()
  else [armed, left] = [words.arm, words.times]
})
process.on('disconnect', () => process.exit(1))

const config = loadServeConfig(settings.environment)
const { reconcileIntervalMs, hourlyBudget, timings } = settings
const networks = config.networks.map((network) => ({
  ...network,
  ...(hourlyBudget !== undefined && { hourlyBudget: asStroops(BigInt(hourlyBudget)) }),
}))
const logger = createLogger({ level: config.logLevel })
const metrics = createMetrics()
const store = await openStore(config.store)
await store.migrate()
watchStatements(store.db, at)
const facilitator = await openFacilitator({
  config: { networks, reconcileIntervalMs },
  store,
  rpcFor: async ({ id, rpcUrls }) => {
    const endpoints = rpcClients(rpcUrls, { allowHttp: true })
    const passphrase = passphrases[id]
    const pool = rpcPool({ endpoints, passphrase, clock: systemClock, log: logger })
    await pool.identify()
    return watchedRpc(pool, at)
  },
  logger,
  metrics,
  clock: systemClock,
  timings,
})
const { app, listen } = createHttpServer({ logger })
app.addHook('onSend', async ({ routeOptions }) => {
  if (routeOptions.url === '/settle') await at('after finish, before the HTTP answer')
})
facilitator.routes(app)
const { url } = await listen({ host: '127.0.0.1', port: 0 })
tell({ url })
