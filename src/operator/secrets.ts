import type { SteadyClock } from '../core/clock.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-error.ts'
import { keyOf } from '../kube/resource.ts'
import type { ReadStore } from '../kube/store.ts'
import { type Secret, wellKnown } from '../kube/well-known.ts'

interface SecretKey {
  readonly namespace: string
  readonly name: string
  readonly key: string
}

export interface SecretReaderOptions {
  readonly client: Pick<KubeClient, 'get'>
  /** The Secrets with the label `x402.svc.dev/watch`: the operator sees their changes at once. */
  readonly watched: ReadStore<Secret>
  readonly clock: SteadyClock
}

export interface SecretReader {
  /** The value as text; undefined without the Secret or the key. Throws KubeErrors. */
  read(secret: SecretKey, signal: AbortSignal): Promise<string | undefined>
  /** Whether a watch reports changes; otherwise the caller has to read again. */
  isWatched(secret: Pick<SecretKey, 'namespace' | 'name'>): boolean
}

/** For unwatched Secrets: several objects that share one then cost one request. */
const MAX_AGE_MS = 20_000

/**
 * Reads the Secrets that our resources name: from the watch if they have the label, else by name. A watch on
 * every Secret would need the permission to read all of them, and would hold them all in memory.
 */
export function createSecretReader({ client, watched, clock }: SecretReaderOptions): SecretReader {
  const answers = new Map<string, { readonly at: number; readonly secret: Secret | undefined }>()

  const fetchOnce = async (name: Pick<SecretKey, 'namespace' | 'name'>, signal: AbortSignal) => {
    const key = keyOf(name)
    const known = answers.get(key)
    const now = clock.monotonic()
    if (known && now - known.at < MAX_AGE_MS) return known.secret
    const secret = await client.get(wellKnown.secret, name, { signal }).catch(unlessMissing)
    for (const [old, { at }] of answers) if (now - at >= MAX_AGE_MS) answers.delete(old)
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
