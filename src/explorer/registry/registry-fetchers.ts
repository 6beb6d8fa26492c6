import {
  type GuardedFetcher,
  guardedFetcher,
} from '../../platform/http/guarded-fetch/guarded-fetch.ts'

type Fetch = Pick<GuardedFetcher, 'fetch'>

/** HTTP clients for other facilitators, whose addresses strangers choose. */
export interface RegistryFetchers extends AsyncDisposable {
  readonly supported: Fetch
  readonly catalog: Fetch
}

const SUPPORTED_MAX_BYTES = 262_144
/** A process that takes payments must not read the JSON of a stranger for more than some 10 ms at once. */
const CATALOG_MAX_BYTES = 1_048_576
const TIME_LIMIT_MS = 5_000

/** @param options see `guardedFetcher` */
export function registryFetchers(
  options: Pick<Parameters<typeof guardedFetcher>[0] & object, 'allowLoopback' | 'resolve'>,
): RegistryFetchers {
  const fetcher = (maxBytes: number) =>
    guardedFetcher({ ...options, timeLimitMs: TIME_LIMIT_MS, maxBytes })
  const [supported, catalog] = [fetcher(SUPPORTED_MAX_BYTES), fetcher(CATALOG_MAX_BYTES)]
  return {
    supported,
    catalog,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([supported.close(), catalog.close()])
    },
  }
}
