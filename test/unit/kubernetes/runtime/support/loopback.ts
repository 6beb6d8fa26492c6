import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { KubeClient } from '../../../../../src/kubernetes/runtime/client/client.ts'
import {
  type ClientOptions,
  createClient,
} from '../../../../../src/kubernetes/runtime/client/client.ts'
import { openConnection } from '../../../../../src/kubernetes/runtime/client/connection.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void

export interface Loopback extends AsyncDisposable {
  readonly requests: readonly ReceivedRequest[]
  readonly kubeconfig: string
  client(options?: Partial<ClientOptions>): KubeClient
}

/** An HTTP server that the test scripts, for faults that a real API server does not produce. */
export async function startLoopback(answer: Answer): Promise<Loopback> {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://loopback')
    const { method = '', headers } = request
    const body = await text(request)
    const one = { method, path: url.pathname, query: url.searchParams, headers, body }
    requests.push(one)
    answer(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'kube-'))
  const kubeconfig = join(folder, 'config')
  const { port } = server.address() as AddressInfo
  writeFileSync(kubeconfig, configOf(port))

  return {
    requests,
    kubeconfig,
    client: (options = {}) =>
      createClient({
        connection: openConnection({ clock: systemClock, kubeconfig }),
        clock: systemClock,
        fieldManager: 'tester',
        userAgent: 'tests',
        timeoutMs: 10_000,
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true })
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const configOf = (port: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [
      {
        name: 'here',
        cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true },
      },
    ],
    users: [{ name: 'me', user: { token: 'let-me-in' } }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me', namespace: 'there' } }],
  })

export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export const sendStatus = (response: ServerResponse, code: number, reason: string): void =>
  sendJson(response, code, { kind: 'Status', code, reason, message: `it is ${reason}` })
