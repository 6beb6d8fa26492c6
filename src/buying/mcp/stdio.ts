import { once } from 'node:events'
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpOptions } from './create-server.ts'

export interface StdioOptions extends McpOptions {
  readonly stop: AbortSignal
}

/** Serves the tools on standard input and output until the host closes its end, or `stop` aborts. */
export async function serveStdio({ stop, ...options }: StdioOptions): Promise<void> {
  const { onError } = options
  const ended = once(process.stdin, 'close', { signal: stop }).catch(() => undefined)
  const served = serve(() => createMcpServer(options), {
    onerror: (error) => onError?.(error, 'stdio'),
  })
  await ended
  await served.close()
}
