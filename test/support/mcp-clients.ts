import * as newest from '@modelcontextprotocol/client'
import { StdioClientTransport as NewestStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { svcProgram } from './programs/program-path.ts'

/* The official clients: that of the first SDK, which most hosts have, and that of the second. */

export const generations = ['sdk 1', 'sdk 2'] as const
export type Generation = (typeof generations)[number]

/** How a host starts `svc mcp`, or where `/mcp` is. */
export type Place =
  | { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }

interface ToolResult {
  readonly isError?: boolean | undefined
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly structuredContent?: any
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly _meta?: any
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (message: string) => void
}

export interface McpClient extends AsyncDisposable {
  tools(): Promise<readonly { readonly name: string; readonly outputSchema?: unknown }[]>
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>
  /** Ends a program that serves on stdio with SIGKILL. */
  kill(): void
}

const identity = { name: 'test', version: '1.0.0' }

/** A connected client; both check each structured result against the schema that the server listed. */
export async function connect(generation: Generation, place: Place): Promise<McpClient> {
  return generation === 'sdk 1' ? connectOld(place) : connectNewest(place)
}

async function connectOld(place: Place): Promise<McpClient> {
  const client = new OldClient(identity)
  const transport =
    'url' in place
      ? new OldHttp(new URL(place.url), { requestInit: { headers: { ...place.headers } } })
      : new OldStdio(program(place))
  // The class declares optional members that its interface does not allow to be undefined.
  await client.connect(transport as Parameters<OldClient['connect']>[0])
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, options) =>
      (await client.callTool(
        { name, arguments: args },
        undefined,
        requestOptions(options),
      )) as ToolResult,
    kill: () => killed(transport),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function connectNewest(place: Place): Promise<McpClient> {
  const client = new newest.Client(identity, { versionNegotiation: { mode: 'auto' } })
  const transport =
    'url' in place
      ? new newest.StreamableHTTPClientTransport(new URL(place.url), {
          requestInit: { headers: { ...place.headers } },
        })
      : new NewestStdio(program(place))
  await client.connect(transport)
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, options) =>
      (await client.callTool({ name, arguments: args }, requestOptions(options))) as ToolResult,
    kill: () => killed(transport),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

const program = ({ args, env = {} }: Extract<Place, { args: readonly string[] }>) => ({
  command: process.execPath,
  args: [svcProgram(), 'mcp', ...args],
  env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
  stderr: 'inherit' as const,
})

function killed(transport: object): void {
  const pid = 'pid' in transport ? transport.pid : null
  if (typeof pid !== 'number') throw new Error('no program serves this client')
  process.kill(pid, 'SIGKILL')
}

const requestOptions = ({ signal, onProgress }: CallOptions = {}) => ({
  ...(signal && { signal }),
  ...(onProgress && {
    onprogress: ({ message }: { message?: string | undefined }) => onProgress(message ?? ''),
  }),
})

export const textOf = ({ content }: ToolResult): string =>
  content.map(({ text = '' }) => text).join('\n')
