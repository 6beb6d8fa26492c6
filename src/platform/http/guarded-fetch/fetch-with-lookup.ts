import type { LookupFunction } from 'node:net'
import { Agent, EnvHttpProxyAgent, fetch } from 'undici'

/** A `fetch` with connections of its own, which end with it. */
export interface OwnFetch extends AsyncDisposable {
  readonly fetch: typeof globalThis.fetch
}

/** A server may ask for longer: it does not choose how long its connections stay. */
const KEPT_MS = 4_000
/** To one origin. */
const MAX_CONNECTIONS = 8

/**
 * Opens a `fetch` whose connections resolve names by `lookup`.
 * @param byProxy as `NODE_USE_ENV_PROXY` has it: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` count
 */
export function fetchWithLookup(lookup: LookupFunction, byProxy = false): OwnFetch {
  const options = {
    allowH2: false,
    connect: { lookup },
    connections: MAX_CONNECTIONS,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
  }
  const dispatcher = byProxy ? new EnvHttpProxyAgent(options) : new Agent(options)
  const withDispatcher = (url: URL | string, init: object = {}) =>
    fetch(url, { ...init, dispatcher })
  return {
    // undici and node declare the same fetch, each with types of its own.
    fetch: withDispatcher as unknown as typeof globalThis.fetch,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}
