import type { JsonRpcOptions, RpcRequest } from './json-rpc.ts'
import { rpcClient } from './rpc-client.ts'
import type { NamedClient } from './rpc-endpoint.ts'

export interface NamedEndpointOptions extends Omit<JsonRpcOptions, 'url' | 'onRequest'> {
  /** Told of every request once it has ended, and of the name of its endpoint. */
  readonly onRequest?: (request: RpcRequest, endpoint: string) => void
}

/**
 * A client for each address, named by its host: paths, queries and user names may be keys. Throws
 * RangeError on an address that a client may not speak to.
 */
export function namedEndpoints(
  urls: readonly string[],
  { onRequest, ...options }: NamedEndpointOptions = {},
): readonly NamedClient[] {
  const hosts = urls.map((url) => URL.parse(url)?.host ?? 'not a URL')
  return urls.map((url, index) => {
    const host = hosts[index] ?? ''
    const isShared = hosts.filter((other) => other === host).length > 1
    const name = isShared ? `${host} (${index + 1})` : host
    const told = onRequest && { onRequest: (request: RpcRequest) => onRequest(request, name) }
    return { name, client: rpcClient({ ...options, ...told, url }) }
  })
}
