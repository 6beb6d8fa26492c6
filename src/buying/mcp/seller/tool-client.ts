import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { AnswerTooLarge } from '../../../platform/core/errors/read-answer.ts'
import { untilAborted } from '../../../platform/core/time/until-aborted.ts'
import { RefusedUrl, type SellerAgent } from '../../seller/seller-http.ts'
import { EXTENSION, readable } from './answer-of-result.ts'
import { boundedFetch } from './bounded-fetch.ts'
import type { NamedServer } from './named-servers.ts'

export interface ConnectLimits {
  readonly timeLimitMs: number
  readonly maxBytes: number
  readonly headers: Headers
  readonly signal: AbortSignal
  readonly fail: (error: unknown) => void
}

/** A client that is connected, for one call over HTTP. */
export function clientOverHttp(
  agent: SellerAgent,
  server: URL,
  limits: ConnectLimits,
): Promise<Client> {
  return connected(
    new StreamableHTTPClientTransport(server, { fetch: boundedFetch(agent, limits) }),
    limits,
  )
}

/** Of one message, which the SDK keeps whole: as many as are read of an answer over HTTP. */
const MAX_MESSAGE_BYTES = 8_388_608

interface ProgramClient {
  readonly client: Client
  /** Aborts when the program sends a message above the limit. The SDK ends it then, and tells its callers only that the connection is closed. */
  readonly broken: AbortSignal
}

/** Programs that serve on standard input and output: each is started at its first call, and ends with this. */
export class StdioClients implements AsyncDisposable {
  readonly #servers: ReadonlyMap<string, NamedServer>
  readonly #open = new Map<string, Promise<ProgramClient>>()

  /** Only `servers` are ever started. */
  constructor(servers: ReadonlyMap<string, NamedServer>) {
    this.#servers = servers
  }

  /** Throws RefusedUrl for any other name. */
  async client(name: string, limits: ConnectLimits): Promise<ProgramClient> {
    const server = this.#servers.get(name)
    if (!server) throw new RefusedUrl('no server of this name is configured')
    const opening = this.#open.get(name) ?? this.#start(name, server, limits)
    return opening
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values())
    await Promise.all(
      opened.map((each) => (each.status === 'fulfilled' ? each.value.client.close() : undefined)),
    )
  }

  #start(name: string, { command, args, env, cwd }: NamedServer, limits: ConnectLimits) {
    const transport = new StdioClientTransport({
      command,
      ...(args && { args: [...args] }),
      ...(env && { env: { ...env } }),
      ...(cwd !== undefined && { cwd }),
      // Its words are a seller's: they stay out of the terminal and of the host's log.
      stderr: 'ignore',
      maxBufferSize: MAX_MESSAGE_BYTES,
    })
    const forget = () => void this.#open.delete(name)
    const broken = new AbortController()
    transport.onerror = ({ message }) => {
      if (!OVERFLOW.test(message)) return
      forget()
      broken.abort(new AnswerTooLarge(`${MAX_MESSAGE_BYTES} bytes`))
    }
    const connecting = connected(transport, limits).then((client) => {
      client.onclose = forget
      return { client, broken: broken.signal }
    })
    const opening = untilAborted(broken.signal, connecting)
    opening.catch(forget)
    this.#open.set(name, opening)
    return opening
  }
}

/** The SDK has no class for it. */
const OVERFLOW = /exceeded maximum size/

async function connected(transport: Transport, { timeLimitMs, signal }: ConnectLimits) {
  const client = new Client(
    { name: 'svc', title: 'x402 on Stellar', version: '1' },
    {
      capabilities: { extensions: { [EXTENSION]: {} } },
      versionNegotiation: { mode: 'auto' },
      // Without it the client writes a note to standard output, which may carry our own protocol.
      enforceStrictCapabilities: true,
    },
  )
  try {
    await client.connect(transport, { timeout: timeLimitMs, signal })
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  }
  const take = transport.onmessage
  transport.onmessage = (message, extra) => take?.(readable(message), extra)
  return client
}
