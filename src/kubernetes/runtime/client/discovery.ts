import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { Logger } from '../logger.ts'
import { type KubeMetrics, noKubeMetrics } from '../metrics/metrics.ts'
import { apiVersionOf, type ResourceType } from '../objects/resource.ts'
import { jittered } from '../time/backoff.ts'
import type { KubeClient } from './client.ts'
import { isKubeError } from './kube-error.ts'

export interface DiscoveryOptions {
  readonly client: Pick<KubeClient, 'read'>
  /** The optional kinds. */
  readonly types: readonly ResourceType[]
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics
  /** Between two requests, plus or minus 10 %. @default 10 minutes */
  readonly refreshMs?: number
}

/** Finds out which optional kinds a cluster serves. */
export interface Discovery {
  /** Whether the server served the kind at the last answer; false before the first one. Makes no call. */
  serves(type: ResourceType): boolean
  /** Calls the handler when a kind appears or disappears. */
  onChange(handler: () => void): void
  /** Resolves after the first answer. */
  readonly answered: Promise<void>
  /** Asks the server now and periodically until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
}

/** Between two requests while the server has not answered yet. */
const FIRST_RETRY_MS = 1_000

export function createDiscovery(options: DiscoveryOptions): Discovery {
  const { client, types, clock, random, logger } = options
  const { metrics = noKubeMetrics, refreshMs = 600_000 } = options
  const paths = new Set(types.map(groupPath))
  const handlers: (() => void)[] = []
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  let served: ReadonlySet<string> | undefined

  const refresh = async (signal: AbortSignal): Promise<void> => {
    const found = await Promise.all([...paths].map((path) => kindsAt(client, path, signal)))
    const before = served ?? new Set()
    const now = new Set(found.flat())
    served = now
    const isSame = before.size === now.size && [...before].every((kind) => now.has(kind))
    if (!isSame) for (const handler of handlers) handler()
    resolve()
  }

  return {
    answered,
    serves: (type) => served?.has(`${groupPath(type)}/${type.plural}`) ?? false,
    onChange: (handler) => {
      handlers.push(handler)
    },
    async run(signal) {
      while (!signal.aborted) {
        await refresh(signal).catch((error: unknown) => {
          if (signal.aborted) return
          metrics.discoveryErrors.inc({})
          logger.warn({ err: error }, 'Could not read which kinds the server serves')
        })
        const pauseMs = served ? jittered(refreshMs, 0.1, random) : FIRST_RETRY_MS
        await clock.sleep(pauseMs, signal).catch(() => undefined)
      }
    },
  }
}

const groupPath = (type: ResourceType): string =>
  `${type.group ? '/apis' : '/api'}/${apiVersionOf(type)}`

/** The path of every resource of one group and version; none when the server does not serve the group. */
async function kindsAt(
  client: Pick<KubeClient, 'read'>,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const list = (await client.read(path, { signal })) as {
      readonly resources?: readonly { readonly name: string }[]
    }
    return (list.resources ?? []).map(({ name }) => `${path}/${name}`)
  } catch (error) {
    if (isKubeError(error, 'notFound')) return []
    throw error
  }
}
