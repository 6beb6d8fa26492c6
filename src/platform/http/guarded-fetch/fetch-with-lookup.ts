import type { LookupFunction } from 'node:net'
import { Agent, EnvHttpProxyAgent, fetch } from 'undici'

/**
 * A `fetch` whose connections resolve names by `lookup`.
 * @param byProxy as `NODE_USE_ENV_PROXY` has it: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` count
 */
export function fetchWithLookup(lookup: LookupFunction, byProxy = false): typeof globalThis.fetch {
  const options = { allowH2: false, connect: { lookup } }
  const dispatcher = byProxy ? new EnvHttpProxyAgent(options) : new Agent(options)
  const withDispatcher = (url: URL | string, init: object = {}) =>
    fetch(url, { ...init, dispatcher })
  // undici and node declare the same fetch, each with types of its own.
  return withDispatcher as unknown as typeof globalThis.fetch
}
