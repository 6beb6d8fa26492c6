/** Whoever owns a pool chooses its endpoints: what they answer takes a bounded part of the operator's memory. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGzip } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { openPoolNetwork } from '../../../src/service/operator/pool-network.ts'
import type { RpcError } from '../../../src/stellar/rpc/rpc.ts'
import { latestLedgerAnswer, ledgerEntriesAnswer } from '../../../src/stellar/rpc/rpc-answers.ts'
import { jsonRpc } from '../../../src/stellar/rpc/transport/json-rpc.ts'

const MIB = 1024 * 1024
let answer: (response: ServerResponse, body: string) => unknown = () => undefined

const server = createServer(async (request: IncomingMessage, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  answer(response, body)
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const limited = () => jsonRpc({ url, allowHttp: true, maxAnswerBytes: 4 * MIB })

test('an answer that is small on the wire and large in memory is given up', async () => {
  let written = 0
  let hasEnded = false
  answer = (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const zipped = createGzip()
    zipped.pipe(response)
    const spaces = Buffer.alloc(MIB, ' ')
    const more = () => {
      while (written < 1_000 && !response.destroyed) {
        written += 1
        if (!zipped.write(spaces)) return zipped.once('drain', more)
      }
      hasEnded = true
      return zipped.end()
    }
    more()
  }
  const asked = limited()('getLatestLedger', undefined, latestLedgerAnswer)
  await expect(asked).rejects.toMatchObject({
    name: 'RpcError',
    kind: 'unreadable',
    message: `getLatestLedger: the answer has more than ${4 * MIB} bytes`,
  })
  expect(hasEnded).toBe(false)
  expect(written).toBeLessThan(500)
})

test.each([
  { what: 'of many elements', json: `{"id":1,"result":{"entries":[${'0,'.repeat(MIB)}0]}}` },
  { what: 'of many lists', json: `{"id":1,"result":${'['.repeat(MIB)}${']'.repeat(MIB)}}` },
])('an answer $what is given up before it is parsed', async ({ json }) => {
  answer = (response) => response.end(json)
  const asked = limited()('getLedgerEntries', { keys: [] }, ledgerEntriesAnswer)
  await expect(asked).rejects.toThrow('the answer has more than 65536 values')
})

test('of what a schema says of an answer a few issues are kept', async () => {
  answer = (response) => response.end(`{"id":1,"result":{"entries":[${'0,'.repeat(30_000)}0]}}`)
  const error: RpcError = await limited()('getLedgerEntries', {}, ledgerEntriesAnswer).catch(
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ kind: 'unreadable' })
  expect(error.cause).toBeInstanceOf(z.ZodError)
  expect((error.cause as z.ZodError).issues.length).toBeLessThan(10)
  expect(error.message.length).toBeLessThan(1_000)
})

test('an error that an endpoint writes into its answer is cut', async () => {
  answer = (response) =>
    response.end(JSON.stringify({ id: 1, error: { code: 1, message: 'x'.repeat(MIB) } }))
  const error: Error = await limited()('getLatestLedger', undefined, latestLedgerAnswer).catch(
    (thrown) => thrown,
  )
  expect(error.message.length).toBeLessThan(3_000)
})

test('one answer too large costs the requests that were sent with it one more try, and no other', async () => {
  answer = (response, body) => {
    const asked: readonly { id: number; params: { n: number } }[] = [JSON.parse(body)].flat()
    const results = asked.map(({ id, params: { n } }) => ({
      id,
      result: n === 20 ? 'x'.repeat(5 * MIB) : n,
    }))
    response.end(JSON.stringify(body.startsWith('[') ? results : results[0]))
  }
  const ask = limited()
  const asked = Array.from({ length: 40 }, (_, n) =>
    ask('getLedgerEntries', { n }, z.number()).then(
      () => 'answered',
      ({ kind }) => kind,
    ),
  )
  const ends = await Promise.all(asked)
  expect(ends[20]).toBe('unreadable')
  expect(ends.filter((end) => end === 'answered').length).toBeGreaterThanOrEqual(27)
})

test('the operator takes 2 MiB of an endpoint of a pool', async () => {
  answer = (response, body) => {
    const passphrase = passphrases['stellar:testnet']
    if (body.includes('getNetwork')) {
      return response.end(JSON.stringify({ id: 1, result: { passphrase } }))
    }
    return response.end(' '.repeat(2 * MIB + 1))
  }
  const key = JSON.stringify({
    network: 'stellar:testnet',
    allowHttp: true,
    urls: [url],
    headers: [],
  })
  const deps = { clock: systemClock, logger: createLogger({ level: 'silent' }) }
  await using network = await openPoolNetwork(key, deps)
  await expect(network.rpc.latestLedger()).rejects.toThrow(/more than 2097152 bytes/)
})
