/** The thread of the explorer in a process that takes payments. */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../../platform/core/time/clock.ts'
import { createLogger } from '../../../platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../platform/telemetry/metrics/metrics.ts'
import { serveExplorer } from './serve.ts'
import type { ExplorerThreadData, ToExplorerThread } from './thread.ts'

if (!parentPort) throw new Error('start this as a worker thread')
const port = parentPort
const { service, config, isTerminal } = workerData as ExplorerThreadData

// Payments come first where processors are few. On Linux alone is this the priority of the thread; elsewhere it is that of
// the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const stopping = new AbortController()
const metrics = createMetrics({ processMetrics: true })
port.on('message', (message: ToExplorerThread) => {
  if (message.kind === 'stop') return stopping.abort(new Error('the service is stopping'))
  metrics.readings().then(
    (readings) => message.answerTo.postMessage(readings),
    () => message.answerTo.close(),
  )
})
const logger = createLogger({ level: service.logLevel, isTerminal })
await serveExplorer({
  ...{ service, config, logger, metrics },
  clock: systemClock,
  stop: stopping.signal,
})
port.close()
