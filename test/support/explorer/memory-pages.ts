import { pino } from 'pino'
import { LiveUpdates } from '../../../src/explorer/web/live/live-updates.ts'
import { exposePages } from '../../../src/explorer/web/pages.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { createHttpServer, type HttpServer } from '../../../src/platform/http/server/server.ts'
import { type MemoryExplorer, memoryReads } from './memory-reads.ts'

interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly html: string
}

interface MemoryPages extends AsyncDisposable {
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>
}

/** The pages over payments in memory, without a port; times are as of `explorer.now`. */
export function memoryPages(explorer: MemoryExplorer): MemoryPages {
  const logger = pino({ level: 'silent' })
  const reads = memoryReads(explorer)
  const live = new LiveUpdates({ reads, clock: systemClock, onError: () => undefined })
  const server: HttpServer = createHttpServer({ logger })
  exposePages(server.app, {
    reads,
    live,
    networks: ['stellar:testnet'],
    version: '1.2.3',
    sameUrlMs: 0,
    clock: { ...systemClock, now: () => explorer.now },
  })
  return {
    get: async (path, headers = {}) => {
      const answer = await server.app.inject({ url: path, headers })
      return { status: answer.statusCode, headers: answer.headers, html: answer.body }
    },
    [Symbol.asyncDispose]: async () => {
      await live[Symbol.asyncDispose]()
      await server.close()
    },
  }
}
