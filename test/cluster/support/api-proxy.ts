/**
 * A proxy in front of an API server that records every request and injects the faults of a test.
 *
 *   await using proxy = await startApiProxy(cluster.kubeconfigPath)
 *   run the operator with proxy.kubeconfigPath
 *   const fault = proxy.fail({ kind: 'status', status: 429, retryAfterSeconds: 5 }, { share: 0.3 })
 *   …
 *   fault.heal()
 *   expect(proxy.calls.filter(({ verb }) => verb === 'patch')).toEqual([])
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { createLocalCertificate } from '../../../src/localnet/server/tls.ts'
import type { ApiFault, RequestFilter } from './api-faults.ts'
import { type JournalEntry, OWNER_TOKEN, ProxyHandler } from './proxy-handler.ts'

export interface ApiProxy extends AsyncDisposable {
  readonly server: string
  /** Connects through the proxy, as the user of the kubeconfig that it was started with. */
  readonly kubeconfigPath: string
  /** Connects through the proxy, as the user of the token. */
  kubeconfigFor(token: string): Promise<string>
  /** Every request so far, oldest first. */
  readonly calls: readonly JournalEntry[]
  forget(): void
  /** Injects the fault from now on. Of several faults that hit a request the newest wins. */
  fail(fault: ApiFault, filter?: RequestFilter): { heal(): void }
  /** Closes all connections, and each new one at once, until accept() is called. */
  refuse(): void
  accept(): void
  /** Ends every fault, but not refuse(). */
  heal(): void
}

export async function startApiProxy(kubeconfigPath: string): Promise<ApiProxy> {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfigPath)
  const target = new URL(config.getCurrentCluster()?.server ?? '')
  const credentials: RequestOptions = {}
  await config.applyToHTTPSOptions(credentials)
  const folder = await mkdtemp(join(tmpdir(), 'svc-api-proxy-'))
  const { key, cert, caFile, remove } = await createLocalCertificate(Date.now())
  const handler = new ProxyHandler(target, credentials)
  const sockets = new Set<Socket>()
  let isRefusing = false
  const server = createServer({ key, cert }, (incoming, response) =>
    handler.handle(incoming, response),
  )
  server.on('connection', (socket: Socket) => {
    if (isRefusing) {
      socket.resetAndDestroy()
      return
    }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('listening without a port')
  const url = `https://127.0.0.1:${address.port}`
  const closeAll = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  let written = 0
  const kubeconfigFor = async (token: string) => {
    written += 1
    const path = join(folder, `${written}.kubeconfig`)
    await writeFile(path, kubeconfigText(url, caFile, token), { mode: 0o600 })
    return path
  }
  return {
    server: url,
    kubeconfigPath: await kubeconfigFor(OWNER_TOKEN),
    kubeconfigFor,
    get calls() {
      return handler.journal
    },
    forget: () => handler.journal.splice(0),
    fail: (fault, filter = {}) => handler.plan(fault, filter),
    refuse: () => {
      isRefusing = true
      closeAll()
    },
    accept: () => {
      isRefusing = false
    },
    heal: () => handler.heal(),
    [Symbol.asyncDispose]: async () => {
      handler.close()
      closeAll()
      await new Promise((resolve) => server.close(resolve))
      await remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const kubeconfigText = (server: string, caFile: string, token: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'user', user: { token } }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'user' } }],
    'current-context': 'proxy',
  })
