/**
 * A facilitator in its own process, assembled as `svc serve` does it. The parent process sends it the point at
 * which settlements stop; it reports each settlement that has reached that point. It exits when the
 * parent does.
 */

import { asStroops } from '../../src/platform/core/amounts/stroops.ts'
import { passphrases } from '../../src/platform/core/caip2.ts'
import { systemClock } from '../../src/platform/core/time/clock.ts'
import { openStore } from '../../src/platform/database/open.ts'
import { createHttpServer } from '../../src/platform/http/server/server.ts'
import { createLogger } from '../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../src/platform/telemetry/metrics/metrics.ts'
import { openFacilitator } from '../../src/service/facilitator/open-facilitator.ts'
import { loadServeConfig } from '../../src/settings/serve.ts'
import { rpcPool } from '../../src/stellar/rpc/pool/rpc-pool.ts'
import { rpcClients } from '../../src/stellar/rpc/rpc-client.ts'
import { type AtPoint, type CrashPoint, watchRpc, watchStatements } from './crash-points.ts'
import type { FromReplica, ReplicaSettings, ToReplica } from './crash-replica.ts'

const settings: ReplicaSettings = JSON.parse(process.argv[2] ?? '{}')
const report = (message: FromReplica) => process.send?.(message)

let armed: CrashPoint | undefined
/** How many more settlements stop there. */
let remaining = 0
const held: Array<() => void> = []
const at: AtPoint = async (point) => {
  if (armed !== point || remaining === 0) return
  remaining -= 1
  const resumed = Promise.withResolvers<void>()
  held.push(resumed.resolve)
  report({ reached: point })
  await resumed.promise
}
process.on('message', (message: ToReplica) => {
  if (message === 'resume') for (const resume of held.splice(0)) resume()
  else [armed, remaining] = [message.arm, message.times]
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
    return watchRpc(pool, at)
  },
  logger,
  metrics,
  clock: systemClock,
  timings,
  // Declarations are stored; no request waits for a catalog, since none records them.
  catalog: { preview: async () => undefined, settled: async () => undefined },
})
const { app, listen } = createHttpServer({ logger })
app.addHook('onSend', async ({ routeOptions }) => {
  if (routeOptions.url === '/settle') await at('after finish, before the HTTP answer')
})
facilitator.routes(app)
const { url } = await listen({ host: '127.0.0.1', port: 0 })
report({ url })
