/** A proxy for HTTP with faults that a seed chooses: it loses, delays, doubles and reorders requests and answers. */
import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * `request lost`: nothing is passed on, and the connection breaks. `answer lost`: the connection breaks once the server has answered, and
 * `answer cut` does so in the middle of the answer. `late`: it waits for a while. `overtaken`: it waits until a later one has passed.
 * `request doubled`: two servers, or one twice, get it at once.
 */
export const faults = [
  'request lost',
  'answer lost',
  'answer cut',
  'request late',
  'request overtaken',
  'answer overtaken',
  'request doubled',
] as const
export type Fault = (typeof faults)[number]

export interface ProxiedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface FaultProxyOptions {
  /** Base URLs of the servers that run now. They get the requests in turn. */
  readonly targets: () => readonly string[]
  /** How many of such requests have each fault, from 0 to 1; together at most 1. */
  readonly sharesOf: (request: ProxiedRequest) => Readonly<Partial<Record<Fault, number>>>
  /** From 0 to below 1. */
  readonly random: () => number
}

export interface FaultProxy extends AsyncDisposable {
  readonly url: string
  /** How many requests had each fault. */
  readonly counts: ReadonlyMap<Fault | 'none', number>
  /** From now on there are no faults. */
  heal(): void
}

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer
}

const MAX_DELAY_MS = 1_500
/** Nothing may come that overtakes the last one. */
const MAX_OVERTAKEN_MS = 1_000

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { targets, sharesOf, random } = options
  const agent = new Agent({ keepAlive: true })
  const counts = new Map<Fault | 'none', number>()
  const [requests, answers] = [new Passage(), new Passage()]
  let isHealed = false
  let turn = 0

  const nextTarget = (): string | undefined => {
    const running = targets()
    turn += 1
    return running[turn % running.length]
  }
  const choose = (request: ProxiedRequest): Fault | undefined => {
    if (isHealed) return undefined
    let left = random()
    for (const [fault, share] of Object.entries(sharesOf(request))) {
      left -= share
      if (left < 0) return fault as Fault
    }
    return undefined
  }
  const forward = (request: ProxiedRequest) => ask(agent, nextTarget(), request)

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming
    const request = { method, url, headers, body: await buffer(incoming) }
    const fault = choose(request)
    counts.set(fault ?? 'none', (counts.get(fault ?? 'none') ?? 0) + 1)
    if (fault === 'request lost') return void response.destroy()
    if (fault === 'request late') await sleep(random() * MAX_DELAY_MS)
    if (fault === 'request overtaken') await requests.overtaken()
    else requests.passed()
    const answer = await (fault === 'request doubled'
      ? Promise.any([forward(request), forward(request)])
      : forward(request))
    if (fault === 'answer lost') return void response.destroy()
    if (fault === 'answer overtaken') await answers.overtaken()
    else answers.passed()
    response.writeHead(answer.status, [
      ...answer.headers,
      'content-length',
      String(answer.body.length),
    ])
    if (fault !== 'answer cut') return void response.end(answer.body)
    const half = answer.body.subarray(0, answer.body.length / 2)
    response.write(half, () => response.destroy())
  }

  const server = createServer((incoming, response) => {
    // A server that is gone breaks the connections of its callers.
    pass(incoming, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    heal: () => {
      isHealed = true
    },
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections()
      agent.destroy()
    },
  }
}

/** Where one waits until a later one has passed. */
class Passage {
  #waiting: (() => void)[] = []

  passed(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }

  async overtaken(): Promise<void> {
    const later = new Promise<void>((resolve) => this.#waiting.push(resolve))
    await Promise.race([later, sleep(MAX_OVERTAKEN_MS)])
  }
}

/** Rejects when no server runs, or its connection breaks. */
async function ask(
  agent: Agent,
  target: string | undefined,
  { method, url, headers, body }: ProxiedRequest,
): Promise<Answer> {
  if (target === undefined) throw new Error('no server runs')
  const sent = openRequest(target + url, { agent, method, headers: endToEnd(headers) }).end(body)
  // A connection that breaks within the answer is told by the answer too.
  sent.on('error', () => undefined)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status = 502, rawHeaders } = answer
  return { status, headers: endToEndPairs(rawHeaders), body: await buffer(answer) }
}

/** Of one connection; the length is written anew. */
const OF_CONNECTION = /^(connection|keep-alive|transfer-encoding|content-length)$/i

function endToEnd({ 'content-length': length, ...headers }: IncomingHttpHeaders) {
  const { connection: _, 'transfer-encoding': __, ...rest } = headers
  return { ...rest, ...(length !== undefined && { 'content-length': length }) }
}

const endToEndPairs = (raw: readonly string[]): readonly string[] =>
  raw.filter((_, at) => !OF_CONNECTION.test(raw[at - (at % 2)] ?? ''))
