import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** RPC endpoints that answer a ChannelPool in ways that cost memory, each under a path of its name. */
export interface HostileEndpoint extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string
  /** How many answers of each attack were begun. */
  readonly answers: Readonly<Record<string, number>>
}

/** @param right what the network answers */
type Attack = (response: ServerResponse, right: string) => unknown

const MIB = 1024 * 1024
/** The operator's limits on an answer. */
const READ_BYTES = 2 * MIB
const READ_VALUES = 32_768
const SLOW_MS = 1_000

const bomb = gzipSync(Buffer.alloc(256 * MIB, ' '))
const lists = '['.repeat(READ_VALUES - 10)
/** Almost as many bytes and values as are read. */
const padding = JSON.stringify(Array.from({ length: 30_000 }, (_, at) => String(at).padEnd(60)))

export const rpcAttacks: Readonly<Record<string, Attack>> = {
  bomb: (response) => response.setHeader('content-encoding', 'gzip').end(bomb),
  deep: (response) =>
    response.end(`{"id":1,"result":${lists}${']'.repeat(lists.length)}}`.padEnd(READ_BYTES)),
  // An answer to a batch is a list of objects.
  large: (response, right) => response.end(right.replace('{', `{"padding":${padding},`)),
  endless: (response) => pipeline(Readable.from(withoutEnd()), response),
  slow: async (response, right) => {
    for (const character of right) {
      if (response.destroyed) return
      response.write(character)
      await pause(SLOW_MS)
    }
    response.end()
  },
}

function* withoutEnd() {
  yield '{"id":1,"result":"'
  const part = 'x'.repeat(MIB)
  for (;;) yield part
}

/**
 * They say that they serve the network of `rpcUrl`, and attack with every other answer.
 * @param host where they listen, and which the URL names
 */
export async function startHostileEndpoint(
  rpcUrl: string,
  host = '127.0.0.1',
): Promise<HostileEndpoint> {
  const answers: Record<string, number> = {}
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const name = request.url?.slice(1) ?? ''
    const body = await text(request)
    const headers = { 'content-type': 'application/json' }
    const right = await (await fetch(rpcUrl, { method: 'POST', headers, body })).text()
    if (body.includes('"getNetwork"')) return response.end(right)
    answers[name] = (answers[name] ?? 0) + 1
    return rpcAttacks[name]?.(response, right)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    answers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
