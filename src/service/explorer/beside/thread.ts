import { once } from 'node:events'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { type TimeLimit, withTimeLimit } from '../../../platform/core/time/time-limit.ts'
import type { MetricReadings } from '../../../platform/telemetry/metrics/metrics.ts'
import type { ExplorerConfig } from '../../../settings/sections/explorer-settings.ts'
import { type BesideConfig, withoutSeeds } from './beside-config.ts'
import type { ServeExplorerParts } from './serve.ts'

/** The data that the thread starts with. */
export interface ExplorerThreadData {
  readonly service: BesideConfig
  readonly config: ExplorerConfig
  /** Whether standard output is a terminal: a thread cannot tell. */
  readonly isTerminal: boolean
}

export type ToExplorerThread =
  | { readonly kind: 'stop' }
  /** Answered with its `MetricReadings`. */
  | { readonly kind: 'read metrics'; readonly answerTo: MessagePort }

/** Beyond the grace of its requests. A thread that is still there then is ended. */
const END_MS = 5_000
/** Scrapers wait for 10 s. */
const READ_METRICS_MS = 1_000

/**
 * The memory of the thread beyond which V8 ends it, and it alone: an explorer that needs more must not take it from
 * payments. The whole thread adds some 70 MB to the process.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

/**
 * Runs the explorer in a thread until `stop` aborts, and waits until it has drained. Rejects when the thread fails, with a
 * copy of its error. Its metrics are part of those of this process.
 */
export async function runExplorerThread(parts: Omit<ServeExplorerParts, 'memory'>): Promise<void> {
  const { service, config, metrics, clock, stop } = parts
  const isTerminal = process.stdout.isTTY === true
  const data: ExplorerThreadData = { service: withoutSeeds(service), config, isTerminal }
  const url = new URL('./explorer-worker.ts', import.meta.url)
  const worker = new Worker(url, { name: 'explorer', workerData: data, resourceLimits })
  const ended = once(worker, 'exit')
  const over = new AbortController()
  const end = () => {
    worker.postMessage({ kind: 'stop' } satisfies ToExplorerThread)
    const terminate = () => void worker.terminate()
    clock.sleep(service.shutdownGraceMs + END_MS, over.signal).then(terminate, () => undefined)
  }
  if (stop.aborted) end()
  else stop.addEventListener('abort', end, { once: true, signal: over.signal })
  using _included = metrics.include(readingsOf(worker, { clock, ms: READ_METRICS_MS }))
  try {
    await ended
  } finally {
    over.abort()
  }
  if (!stop.aborted) throw new Error('the thread of the explorer ended')
}

/** Reads the metrics of the thread; the last ones while it does not answer, so that no counter falls. */
function readingsOf(worker: Worker, limit: TimeLimit): () => Promise<MetricReadings> {
  let latest: MetricReadings = []
  return async () => {
    const { port1, port2 } = new MessageChannel()
    const message: ToExplorerThread = { kind: 'read metrics', answerTo: port2 }
    worker.postMessage(message, [port2])
    const read = withTimeLimit(limit, (signal) => once(port1, 'message', { signal }))
    const [answer] = await read.catch(() => [latest]).finally(() => port1.close())
    latest = answer as MetricReadings
    return latest
  }
}
