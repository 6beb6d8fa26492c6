/** A Service in front of local pods: each new connection goes to the next pod that is Ready and not being deleted. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { PodProcess } from '../../pods/pod-process.ts'

export interface PodService extends AsyncDisposable {
  readonly url: string
}

/**
 * As with a Service of Kubernetes, a connection stays with its pod, and ends with it. Without a pod it is reset.
 *
 * @param pods those that the Service selects, at present
 */
export async function startPodService(pods: () => readonly PodProcess[]): Promise<PodService> {
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    const serving = pods().filter(({ isServing }) => isServing)
    const pod = serving[turn++ % serving.length]
    const port = pod?.port('http')
    if (port === undefined) return void client.resetAndDestroy()
    const upstream = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.resetAndDestroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroySoon()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
