/** N4: keys of providers reach their own endpoint, and no text. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { type RpcClient, rpcClients } from '../../../../src/stellar/rpc/rpc-client.ts'
import { parseRpcHeaders } from '../../../../src/stellar/rpc/rpc-headers.ts'

async function endpoint() {
  const seen: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = []
  const server = createServer(({ url, headers }, response) => {
    seen.push({ url, headers })
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: { passphrase: 'p', protocolVersion: 23 } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const clientsOf = (urls: readonly string[], headers = ''): readonly RpcClient[] =>
  rpcClients(urls, { allowHttp: true, headers: parseRpcHeaders(headers) }).map(
    ({ client }) => client,
  )

test('a header is sent to the origin that it names, and to no other one', async () => {
  await using one = await endpoint()
  await using other = await endpoint()
  const headers = `http://${one.host} X-Api-Key: provider-key`
  for (const client of clientsOf([`http://${one.host}/v1`, `http://${other.host}`], headers)) {
    await client.passphrase()
  }
  expect(one.seen[0]?.headers).toMatchObject({
    'x-api-key': 'provider-key',
    'content-type': 'application/json',
  })
  expect(other.seen[0]?.headers).not.toHaveProperty('x-api-key')
})

test('a user and a password of a URL are sent as a header, and the query as it is', async () => {
  await using one = await endpoint()
  const [client] = clientsOf([`http://us%40er:hunter2@${one.host}/v1?key=query-key`])
  await client?.passphrase()
  expect(one.seen).toHaveLength(1)
  expect(one.seen[0]).toMatchObject({
    url: '/v1?key=query-key',
    headers: { authorization: `Basic ${Buffer.from('us@er:hunter2').toString('base64')}` },
  })
})

test('a failure names no secret of the URL, in its message and in the log', async () => {
  const lines: string[] = []
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(line) } })
  const host = await (async () => {
    await using gone = await endpoint()
    return gone.host
  })()
  const secret = 'hunter2hunter2'
  const urls = [
    `http://user:${secret}@${host}/${secret}?key=${secret}`,
    `http://${secret}@[::1]:1/?key=${secret}`,
  ]
  for (const client of clientsOf(urls, `http://${host} X-Api-Key: ${secret}`)) {
    const error = await client.passphrase().catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(Error)
    logger.error({ err: error }, 'It failed')
    expect(String(error)).not.toContain(secret)
  }
  expect(lines).toHaveLength(2)
  expect(lines.join()).not.toContain(secret)
})
