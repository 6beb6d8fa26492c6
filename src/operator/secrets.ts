import type { SteadyClock } from '../core/clock.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-error.ts'
import { keyOf } from '../kube/resource.ts'
import type { ReadStore } from '../kube/store.ts'
import { type Secret, wellKnown } from '../kube/well-known.ts'

export interface SecretKey {
  readonly namespace: string
  readonly name: string
  readonly key: string
}

export interface SecretReaderOptions {
  readonly client: Pick<KubeClient, 'get'>
  /** The Secrets that carry the label for being watched; a change of them is heard of at once. */
  readonly watched: ReadStore<Secret>
  readonly clock: SteadyClock
}

export interface SecretReader {
  /** The value as text; undefined when there is no such Secret or key in it. Throws KubeErrors. */
  read(secret: SecretKey, signal: AbortSignal): Promise<string | undefined>
  /** Whether the operator hears of a change by itself; otherwise somebody has to look again. */
  isWatched(secret: Pick<SecretKey, 'namespace' | 'name'>): boolean
}

/** How old an answer about an unwatched Secret may be: several objects share one, and look at once. */
const FRESH_MS = 20_000

/**
 * Reads the Secrets that our resources name. Those with the label are watched, and cost no call. All
 * others are read by name: a watch on every Secret of a cluster would hold them all in memory, and
 * would need the right to read what is none of our business.
 */
export function createSecretReader({ client, watched, clock }: SecretReaderOptions): SecretReader {
  const answers = new Map<string, { readonly at: number; readonly secret: Secret | undefined }>()

  const fetchOnce = async (name: Pick<SecretKey, 'namespace' | 'name'>, signal: AbortSignal) => {
    const key = keyOf(name)
    const known = answers.get(key)
    const now = clock.monotonic()
    if (known && now - known.at < FRESH_MS) return known.secret
    const secret = await client.get(wellKnown.secret, name, { signal }).catch(unlessMissing)
    for (const [old, { at }] of answers) if (now - at >= FRESH_MS) answers.delete(old)
    answers.set(key, { at: now, secret })
    return secret
  }

  return {
    isWatched: (name) => watched.has(keyOf(name)),
    read: async ({ namespace, name, key }, signal) => {
      const secret =
        watched.get(keyOf({ namespace, name })) ?? (await fetchOnce({ namespace, name }, signal))
      const value = secret?.data?.[key]
      return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8').trim()
    },
  }
}

function unlessMissing(error: unknown): undefined {
  if (!isKubeError(error, 'notFound')) throw error
}
