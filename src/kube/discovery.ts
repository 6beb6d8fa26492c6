import type { SteadyClock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import { jittered } from './backoff.ts'
import type { KubeClient } from './client.ts'
import { isKubeError } from './kube-error.ts'
import type { ResourceType } from './resource.ts'

export interface DiscoveryOptions {
  readonly client: Pick<KubeClient, 'read'>
  /** The kinds that may be asked about. */
  readonly types: readonly ResourceType[]
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  /** How often to ask again, give or take 10 %; 10 minutes when absent. */
  readonly refreshMs?: number | undefined
}

/** Which optional kinds a cluster has. */
export interface Discovery {
  /** As of the last look; false before the first. Makes no call. */
  serves(type: ResourceType): boolean
  /** Looks now. Throws KubeErrors; what was known stays then. */
  refresh(signal?: AbortSignal): Promise<void>
  /** Called when a kind came or went. */
  onChange(handler: () => void): void
  /** Looks now and then until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export function createDiscovery(options: DiscoveryOptions): Discovery {
  const { client, types, clock, random, logger, refreshMs = 600_000 } = options
  const paths = new Set(types.map(pathOfGroup))
  const handlers: (() => void)[] = []
  let served: ReadonlySet<string> = new Set()

  const refresh = async (signal?: AbortSignal): Promise<void> => {
    const found = await Promise.all([...paths].map((path) => kindsAt(client, path, signal)))
    const before = served
    served = new Set(found.flat())
    if (before.size === served.size && [...before].every((kind) => served.has(kind))) return
    for (const handler of handlers) handler()
  }

  return {
    refresh,
    serves: (type) => served.has(`${pathOfGroup(type)}/${type.plural}`),
    onChange: (handler) => {
      handlers.push(handler)
    },
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(jittered(refreshMs, 0.1, random), signal).catch(() => undefined)
        if (signal.aborted) return
        await refresh(signal).catch((error: unknown) => {
          if (!signal.aborted) logger.warn({ err: error }, 'Could not ask for the kinds served')
        })
      }
    },
  }
}

const pathOfGroup = ({ group, version }: ResourceType): string =>
  group ? `/apis/${group}/${version}` : `/api/${version}`

/** Every resource of one group and version, as a path; none when there is no such group. */
async function kindsAt(
  client: Pick<KubeClient, 'read'>,
  path: string,
  signal: AbortSignal | undefined,
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
