import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { startHostileDatabases } from '../../../../../tools/bench/operator/hostile-database.ts'
import {
  rpcAttacks,
  startHostileEndpoint,
} from '../../../../../tools/bench/operator/hostile-endpoint.ts'

/** URLs by what the server does. */
export interface HostileServers {
  readonly databases: Readonly<Record<string, string>>
  readonly endpoints: Readonly<Record<string, string>>
}

type Answer = (request: IncomingMessage, response: ServerResponse, right: string) => unknown

const OTHER_NETWORK = 'Public Global Stellar Network ; September 2015'
/** More than a field of the protocol holds. */
const LARGE = '18446744073709551616'

/** What lies, or says nothing; the attacks on memory are those of the benchmark. */
const answers: Readonly<Record<string, Answer>> = {
  'serves another network': (_, response, right) =>
    response.end(right.replace(/"passphrase":"[^"]*"/, `"passphrase":"${OTHER_NETWORK}"`)),
  'lies about each number': (_, response, right) =>
    response.end(right.replace(/"(sequence|latestLedger)":\d+/g, `"$1":${LARGE}`)),
  hangs: () => undefined,
  'answers 500 to everything': (_, response) => response.writeHead(500).end('{"error":"'),
  'sends everyone elsewhere': (request, response) =>
    response.writeHead(307, { location: String(request.url) }).end(),
}

/** @param host where they listen: an address that the pods of the operator reach */
export async function startHostileServers(
  rpcUrl: string,
  host: string,
): Promise<HostileServers & AsyncDisposable> {
  await using opening = new AsyncDisposableStack()
  const databases = opening.use(await startHostileDatabases(host))
  const endpoint = opening.use(await startHostileEndpoint(rpcUrl, host))
  const names = Object.keys(answers)
  const server = createServer((request, response) => {
    const serve = async () => {
      const body = await text(request)
      const headers = { 'content-type': 'application/json' }
      const right = await (await fetch(rpcUrl, { method: 'POST', headers, body })).text()
      const name = names[Number(request.url?.slice(1))] ?? ''
      await answers[name]?.(request, response, right)
    }
    serve().catch(() => response.destroy())
  })
  await once(server.listen(0, host), 'listening')
  opening.defer(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  const { port } = server.address() as AddressInfo
  const attacks = Object.keys(rpcAttacks).map((name) => [
    `answers with the attack \`${name}\``,
    `${endpoint.url}/${name}`,
  ])
  const lies = names.map((name, at) => [name, `http://${host}:${port}/${at}`])
  const opened = opening.move()
  return {
    databases: databases.urls,
    endpoints: Object.fromEntries([...lies, ...attacks]),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
