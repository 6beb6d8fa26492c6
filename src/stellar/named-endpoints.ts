import type { JsonRpcOptions } from './json-rpc.ts'
import { rpcClient } from './rpc-client.ts'
import type { NamedClient } from './rpc-endpoint.ts'

/**
 * A client for each address, named by its host: paths, queries and user names may be keys. Throws
 * RangeError on an address that a client may not speak to.
 */
export function namedEndpoints(
  urls: readonly string[],
  options: Omit<JsonRpcOptions, 'url'> = {},
): readonly NamedClient[] {
  const hosts = urls.map((url) => URL.parse(url)?.host ?? 'not a URL')
  return urls.map((url, index) => {
    const host = hosts[index] ?? ''
    const isShared = hosts.filter((other) => other === host).length > 1
    return {
      name: isShared ? `${host} (${index + 1})` : host,
      client: rpcClient({ ...options, url }),
    }
  })
}
