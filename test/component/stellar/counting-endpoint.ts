/** An endpoint of Stellar RPC that answers each call with its own number, and records how calls were batched. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { z } from 'zod'
import { simulationQueue } from '../../../src/stellar/rpc/simulation-queue.ts'
import { type JsonRpcOptions, jsonRpc } from '../../../src/stellar/rpc/transport/json-rpc.ts'
import { FakeClock } from '../../support/fake-clock.ts'

export interface Call {
  readonly id: number
  readonly method: string
  readonly params: { readonly n: number }
}
export type Answer = { readonly status?: number; readonly body: unknown }

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

export const echo = ({ id, params }: Call) => ({ jsonrpc: '2.0', id, result: params.n })

/**
 * An endpoint that holds its answers until `release()`, and until `pause` of the body; records how many
 * calls each HTTP request had, zero for one that is no batch, and its bytes.
 */
export async function endpoint(
  answer: (calls: Call | readonly Call[]) => Answer,
  pause?: (body: string) => Promise<void> | undefined,
) {
  const sizes: number[] = []
  const bytes: number[] = []
  const gate = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const calls: Call | readonly Call[] = JSON.parse(body)
    sizes.push(Array.isArray(calls) ? calls.length : 0)
    bytes.push(body.length)
    await gate.promise
    await pause?.(body)
    const { status = 200, body: reply } = answer(calls)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, sizes, bytes, release: gate.resolve }
}

export const honest = (calls: Call | readonly Call[]): Answer => ({
  body: Array.isArray(calls) ? calls.map(echo).toReversed() : echo(calls as Call),
})

export const patience = { timeout: 120_000, interval: 20 }
export const many = Array.from({ length: 100 }, (_, n) => n)
/** Nothing waits too long, on a slow machine either, unless a test says so. */
export const patientRpc = (url: string, options: Partial<JsonRpcOptions> = {}) =>
  jsonRpc({ url, allowHttp: true, clock: new FakeClock(), timeoutMs: 120_000, ...options })
export const callerOf = (url: string, options: Partial<JsonRpcOptions> = {}) => {
  const call = patientRpc(url, options)
  return (n: number, method = 'simulateTransaction', padding?: string) =>
    call(method, { n, padding }, z.number(), undefined, queueOf(method, padding))
}

const queueOf = (method: string, padding = '') =>
  method === 'simulateTransaction' ? simulationQueue(padding) : undefined
