import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Keypair } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { httpFacts } from '../../../src/buying/mcp/facts/http-facts.ts'
import { exposeMcp } from '../../../src/buying/mcp/mount.ts'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { ApiKeys } from '../../../src/platform/http/access/api-keys.ts'
import { createHttpServer } from '../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { RpcError } from '../../../src/stellar/rpc/rpc.ts'
import {
  feeStatsAnswer,
  latestLedgerAnswer,
  ledgerEntriesAnswer,
  networkAnswer,
  sendAnswer,
  simulationAnswer,
  transactionAnswer,
  transactionsAnswer,
} from '../../../src/stellar/rpc/rpc-answers.ts'
import { jsonRpc } from '../../../src/stellar/rpc/transport/json-rpc.ts'
import { changedMembers, editedText } from '../../support/mutations.ts'
import { startPromptLocalnet } from '../../support/prompt-localnet.ts'
import { parametersOf } from './describe-fuzz.ts'

/** What an endpoint answers to each method that a facilitator, an explorer or a wallet calls. */
async function resultsOf({ httpUrl, pay }: LocalnetServer) {
  const address = Keypair.random().publicKey()
  const { hash } = await pay({ address, asset: 'XLM', amount: 20_000_000n })
  const ask = async (method: string, params?: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(httpUrl, { method: 'POST', headers, body })
    return ((await answer.json()) as { result: object }).result
  }
  const range = { latestLedger: 9, latestLedgerCloseTime: '1700000000' }
  return {
    getLatestLedger: [latestLedgerAnswer, await ask('getLatestLedger')],
    getNetwork: [networkAnswer, await ask('getNetwork')],
    getFeeStats: [feeStatsAnswer, await ask('getFeeStats')],
    getLedgerEntries: [ledgerEntriesAnswer, await ask('getLedgerEntries', { keys: [] })],
    getTransaction: [transactionAnswer, await ask('getTransaction', { hash })],
    getTransactions: [transactionsAnswer, await ask('getTransactions', { startLedger: 2 })],
    simulateTransaction: [simulationAnswer, { error: 'HostError', events: [], latestLedger: 9 }],
    sendTransaction: [sendAnswer, { status: 'TRY_AGAIN_LATER', hash, ...range }],
  } satisfies Record<string, readonly [z.ZodType, object]>
}

type Method = keyof Awaited<ReturnType<typeof resultsOf>>

const methods: readonly Method[] = [
  'getLatestLedger',
  'getNetwork',
  'getFeeStats',
  'getLedgerEntries',
  'getTransaction',
  'getTransactions',
  'simulateTransaction',
  'sendTransaction',
]

/** What an RPC endpoint answers is a value or `RpcError`. */
export function describeJsonRpcFuzz(runs: number): void {
  let answer: string | Buffer = ''
  let results: Awaited<ReturnType<typeof resultsOf>>
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end(answer))
  })
  beforeAll(async () => {
    await using localnet = await startPromptLocalnet()
    results = await resultsOf(localnet)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  test.each(methods)('%s', async (method) => {
    const [schema, result] = results[method]
    const { port } = server.address() as AddressInfo
    const call = jsonRpc({ url: `http://127.0.0.1:${port}`, allowHttp: true })
    const good = { jsonrpc: '2.0', id: 1, result }
    answer = JSON.stringify(good)
    await expect(call<z.ZodType>(method, undefined, schema)).resolves.toBeDefined()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(changedMembers(good), editedText(good), fc.json()),
        async (body) => {
          answer = body
          const failed = await call<z.ZodType>(method, undefined, schema).then(
            () => undefined,
            (error: unknown) => error,
          )
          if (failed !== undefined) expect(failed).toBeInstanceOf(RpcError)
        },
      ),
      parametersOf(runs),
    )
  })
}

const messages = {
  'tools/list': { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  initialize: {
    jsonrpc: '2.0',
    id: 'a',
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    },
  },
  'tools/call': {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'payment_status', arguments: { transaction: 'a'.repeat(64) } },
  },
}

/** A message to `POST /mcp` is answered below 500, in JSON or as events, and nothing of it is a failure in the log. */
export function describeMcpFuzz(runs: number): void {
  const failures: unknown[] = []
  const destination = { write: (line: string) => failures.push(JSON.parse(line)) }
  const keys = new ApiKeys(systemClock)
  const { app } = createHttpServer({
    logger: createLogger({ level: 'error', destination }),
    bodyLimitBytes: 4_096,
    rateLimit: { byAddress: undefined, byKey: undefined, keys, trustedProxyHops: 0 },
  })
  const factsFor = () => httpFacts({ facilitator: 'http://127.0.0.1:1', clock: systemClock })
  exposeMcp(app, { version: '1.0.0', trustedProxyHops: 0, factsFor })
  afterAll(() => app.close())

  describe.each(Object.entries(messages))('%s', (_, good) => {
    test('is answered', () =>
      fc.assert(
        fc.asyncProperty(
          fc.oneof(changedMembers(good), editedText(good), fc.json()),
          async (payload) => {
            const headers = {
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
            }
            const { statusCode } = await app.inject({
              method: 'POST',
              url: '/mcp',
              headers,
              payload,
            })
            expect(statusCode).toBeLessThan(500)
          },
        ),
        parametersOf(runs),
      ))
  })

  test('none of it is in the log as a failure', () => {
    expect(failures).toEqual([])
  })
}
