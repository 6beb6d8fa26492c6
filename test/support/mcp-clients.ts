import * as newest from '@modelcontextprotocol/client'
import { StdioClientTransport as NewestStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { svcProgram } from './programs/program-path.ts'

/* The official clients: that of the first SDK, which most hosts have, and that of the second. */

export const generations = ['sdk 1', 'sdk 2'] as const
export type Generation = (typeof generations)[number]

/** How a host starts a server, where one is, or one end of a pair whose other end is served in this process. */
export type Place =
  | {
      /** @default `svc mcp` */
      readonly program?: string
      readonly args: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly end: newest.InMemoryTransport }

interface ToolResult {
  readonly resultType?: string
  readonly isError?: boolean | undefined
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly structuredContent?: any
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly _meta?: any
}

interface CallOptions {
  readonly signal?: AbortSignal
  /** Asks for progress, which `progress` of the client then has. */
  readonly asksForProgress?: boolean
  /** Members of `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface McpClient extends AsyncDisposable {
  tools(): Promise<readonly { readonly name: string; readonly outputSchema?: unknown }[]>
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>
  /**
   * What the server reported of its calls, in order, as it came in. The first SDK forgets a call when it reads the
   * answer: it drops a report that comes in the same read, so its own callback may miss one.
   */
  readonly progress: readonly string[]
  /** Ends a program that serves on stdio with SIGKILL. */
  kill(): void
}

const identity = { name: 'test', version: '1.0.0' }

/** A connected client; both check each structured result against the schema that the server listed. */
export async function connect(generation: Generation, place: Place): Promise<McpClient> {
  return generation === 'sdk 1' ? connectOld(place) : connectNewest(place)
}

/**
 * The newest client that names `org.x402/payment` among its capabilities. It knows no results of extensions, so a price is the result as
 * the server sent it.
 */
export async function connectWithExtension(place: Place): Promise<McpClient> {
  const prices: ToolResult[] = []
  const client = await connectNewest(place, {
    capabilities: { extensions: { 'org.x402/payment': {} } },
    onMessage: ({ result }) => {
      if (result?.resultType === 'payment_required') prices.push(result)
    },
  })
  return {
    ...client,
    call: (...asked) =>
      client.call(...asked).catch((error: unknown) => {
        const price = prices.pop()
        if (Object(error).code !== newest.SdkErrorCode.UnsupportedResultType || !price) throw error
        return price
      }),
  }
}

async function connectOld(place: Place): Promise<McpClient> {
  const client = new OldClient(identity)
  const transport = oldTransport(place)
  // The class declares optional members that its interface does not allow to be undefined.
  await client.connect(transport as Parameters<OldClient['connect']>[0])
  return {
    progress: progressOn(transport),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, options) =>
      (await client.callTool(
        paramsOf(name, args, options),
        undefined,
        requestOptions(options),
      )) as ToolResult,
    kill: () => killed(transport),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function oldTransport(place: Place) {
  if ('end' in place) return place.end
  if ('args' in place) return new OldStdio(program(place))
  return new OldHttp(new URL(place.url), { requestInit: { headers: { ...place.headers } } })
}

interface Extension {
  readonly capabilities: newest.ClientCapabilities
  readonly onMessage: (message: Message) => void
}

async function connectNewest(place: Place, extension?: Extension): Promise<McpClient> {
  const client = new newest.Client(identity, {
    versionNegotiation: { mode: 'auto' },
    ...(extension && { capabilities: extension.capabilities }),
  })
  const transport = newestTransport(place)
  await client.connect(transport)
  if (extension) eachMessage(transport, extension.onMessage)
  return {
    progress: progressOn(transport),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, options) =>
      (await client.callTool(paramsOf(name, args, options), requestOptions(options))) as ToolResult,
    kill: () => killed(transport),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function newestTransport(place: Place) {
  if ('end' in place) return place.end
  if ('args' in place) return new NewestStdio(program(place))
  const requestInit = { headers: { ...place.headers } }
  return new newest.StreamableHTTPClientTransport(new URL(place.url), { requestInit })
}

interface Message {
  readonly method?: string
  readonly params?: { readonly message?: string }
  readonly result?: ToolResult
}

interface Incoming {
  onmessage?: ((message: never, ...more: never[]) => void) | undefined
}

/** Shows every message from now on, before the client takes it. */
function eachMessage(transport: Incoming, show: (message: Message) => void): void {
  const take = transport.onmessage
  transport.onmessage = (message: Message, ...more) => {
    show(message)
    take?.(message as never, ...more)
  }
}

/** The messages of every report of progress from now on. */
function progressOn(transport: Incoming): readonly string[] {
  const messages: string[] = []
  eachMessage(transport, ({ method, params }) => {
    if (method === 'notifications/progress') messages.push(params?.message ?? '')
  })
  return messages
}

const program = ({
  program: file,
  args,
  env = {},
}: Extract<Place, { args: readonly string[] }>) => ({
  command: process.execPath,
  args: file === undefined ? [svcProgram(), 'mcp', ...args] : [file, ...args],
  env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
  stderr: 'inherit' as const,
})

function killed(transport: object): void {
  const pid = 'pid' in transport ? transport.pid : null
  if (typeof pid !== 'number') throw new Error('no program serves this client')
  process.kill(pid, 'SIGKILL')
}

const paramsOf = (name: string, args: Record<string, unknown>, { meta }: CallOptions = {}) => ({
  name,
  arguments: args,
  ...(meta && { _meta: { ...meta } }),
})

const requestOptions = ({ signal, asksForProgress }: CallOptions = {}) => ({
  ...(signal && { signal }),
  ...(asksForProgress && { onprogress: () => undefined }),
})

export const textOf = ({ content }: ToolResult): string =>
  content.map(({ text = '' }) => text).join('\n')
