import type { LookupFunction } from 'node:net'
import { Agent, EnvHttpProxyAgent, fetch } from 'undici'

/**
 * A `fetch` whose connections resolve names by `lookup`.
 * @param byProxy as `NODE_USE_ENV_PROXY` has it: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` count
 */
export function fetchWithLookup(lookup: LookupFunction, byProxy = false): typeof globalThis.fetch {
  const options = { allowH2: false, connect: { lookup } }
  const dispatcher = byProxy ? new EnvHttpProxyAgent(options) : new Agent(options)
  // The types of undici and of node name the same things.
  const withDispatcher = (url: URL | string, init: object = {}) =>
    fetch(url, { ...init, dispatcher })
  return withDispatcher as unknown as typeof globalThis.fetch
}
