import { duplexPair, Writable } from 'node:stream'
import type { ClusterAccess } from './kubeconfig.ts'

export interface ForwardedPort {
  readonly namespace: string
  readonly pod: string
  readonly port: number
}

/** The API server or the pod's node did not open the port; the message says what they answered. */
export class PortForwardFailed extends Error {
  override readonly name = 'PortForwardFailed'
  /** HTTP status of the API server; undefined when it did not answer. */
  readonly status: number | undefined

  constructor(message: string, status: number | undefined, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/**
 * One connection to a port of a pod, through the API server and the pod's node, as `kubectl port-forward` makes
 * it: no NetworkPolicy of the pod applies. Needs `get` and `create` of `pods/portforward`. The stream is destroyed
 * with the node's error when nothing listens on the port. Throws PortForwardFailed.
 */
export async function openPort(
  { cluster, user }: ClusterAccess,
  { namespace, pod, port }: ForwardedPort,
) {
  const { KubeConfig, PortForward } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromClusterAndUser(cluster, user)
  const [near, far] = duplexPair()
  // The node's error may come before the caller listens, who finds it in `errored`.
  near.on('error', () => undefined)
  const errors = new Writable({
    write(chunk, _, done) {
      const says = String(chunk).trim()
      if (says !== '') near.destroy(new PortForwardFailed(says, undefined))
      done()
    },
  })
  const forward = new PortForward(config)
  const socket = await forward
    .portForward(namespace, pod, [port], far, errors, far)
    .catch((error: unknown) => {
      throw failureOf(error)
    })
  // Without the retries of the library it returns the socket itself.
  if (typeof socket === 'function') throw new TypeError('a port that reconnects')
  socket.onclose = () => far.end()
  near.once('close', () => socket.close())
  return near
}

/** The library rejects with the event of its WebSocket, which has no more than the status of the answer. */
function failureOf(error: unknown): PortForwardFailed {
  const message = String(Object(error).message || error)
  const [, digits] = /server response: (\d+)/.exec(message) ?? []
  if (digits === undefined) return new PortForwardFailed(message, undefined, error)
  const says =
    digits === '500' || digits === '502'
      ? `the API server does not reach the pod's node for a port-forward (HTTP ${digits})`
      : `the API server answered ${digits} to the port-forward`
  return new PortForwardFailed(says, Number(digits), error)
}
