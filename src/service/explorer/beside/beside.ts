import type { Store } from '../../../platform/database/open.ts'
import { StoreUnavailable } from '../../../platform/database/postgres/unavailable.ts'
import { PortUnavailable } from '../../../platform/http/server/listen.ts'
import type { ServeExplorerParts } from './serve.ts'
import { runExplorerThread } from './thread.ts'

const RETRY_MS = 30_000

interface BesideParts extends Omit<ServeExplorerParts, 'memory'> {
  readonly store: Store
}

/**
 * Serves the explorer in a process that takes payments, on a port of its own, so that payments do not notice it: it has a
 * thread and database connections of its own, and when it cannot start or fails, that is logged and counted, and tried
 * again. Only a store in memory is shared, and with it the thread: such a service is for development.
 *
 * It drains when `stop` aborts or it is disposed of; disposal waits for that.
 */
export function serveExplorerBeside(parts: BesideParts): AsyncDisposable {
  const { logger, metrics, clock } = parts
  const ending = new AbortController()
  const stop = AbortSignal.any([parts.stop, ending.signal])
  const run = async () => {
    while (!stop.aborted) {
      try {
        await serveOnce({ ...parts, stop })
      } catch (error) {
        if (stop.aborted) return
        metrics.backgroundErrors.inc({ task: 'explorer' })
        logger.error(
          isExpected(error) ? { reason: error.message } : { err: error },
          `The explorer cannot run. Payments go on without it, and it tries again every ${RETRY_MS / 1_000} s`,
        )
        await clock.sleep(RETRY_MS, stop).catch(() => undefined)
      }
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('the service is stopping'))
      await running
    },
  }
}

async function serveOnce({ store: memory, ...parts }: BesideParts): Promise<void> {
  if (parts.service.store.kind === 'postgres') return runExplorerThread(parts)
  // Loaded here: with Postgres, the thread of payments needs neither its code nor its memory.
  const { serveExplorer } = await import('./serve.ts')
  await serveExplorer({ ...parts, memory })
}

/**
 * Errors that an administrator can mend; any other one is a defect and is logged with its stack. Compared by name, because an
 * error of the thread arrives as a copy.
 */
const expected = [PortUnavailable, StoreUnavailable].map(({ name }) => name)
const isExpected = (error: unknown): error is Error =>
  error instanceof Error && expected.includes(error.name)
