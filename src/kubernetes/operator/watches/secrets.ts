import { firstMatch } from '../../../platform/core/language/first-match.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { KubeClient } from '../../runtime/client/client.ts'
import { isKubeError } from '../../runtime/client/kube-error.ts'
import { FairLruMap } from '../../runtime/fair-lru-map.ts'
import { compareVersions, type Key, keyOf } from '../../runtime/objects/resource.ts'
import { type Secret, wellKnown } from '../../runtime/objects/well-known.ts'
import type { SecretCaches } from './secret-caches.ts'
import { LONGEST_VALUES, lengthOf, withValues } from './short-values.ts'

interface SecretKey {
  readonly namespace: string
  readonly name: string
  readonly key: string
}

export interface SecretReaderOptions {
  readonly client: Pick<KubeClient, 'get'>
  readonly watched: SecretCaches
  readonly clock: SteadyClock
}

export interface SecretReader {
  /** The value as text; undefined without the Secret or the key. Throws KubeErrors. */
  read(secret: SecretKey, signal: AbortSignal): Promise<string | undefined>
  /** Whether a watch reports changes; otherwise the caller has to read again. */
  isWatched(secret: Pick<SecretKey, 'namespace' | 'name'>): boolean
}

/** A little less than the interval of the passes that read again, so that each of them does. */
const MAX_AGE_MS = 240_000
/** An administrator is creating it now. */
const MAX_AGE_OF_MISSING_MS = 20_000
/**
 * How many Secrets without the label are in memory with their values, by the characters of these: a tenant may let a pool name one
 * Secret after another, and delete each. All together have at most 90 MB; the longest, such as certificates, have 1.4 MB each.
 */
const CAPACITIES = [
  { longest: 2_048, secrets: 20_000 },
  { longest: LONGEST_VALUES, secrets: 2_000 },
  { longest: Number.POSITIVE_INFINITY, secrets: 8 },
] as const

interface Answer {
  readonly at: number
  readonly secret: Secret | undefined
}

/**
 * Reads the Secrets that our resources name: from the cache if they have the label, else by name, once for each version
 * that a watch without values reports. Where nothing is watched an answer counts for four minutes.
 */
export function createSecretReader({ client, watched, clock }: SecretReaderOptions): SecretReader {
  const tiers = CAPACITIES.map((each) => ({
    longest: each.longest,
    answers: new FairLruMap<Answer>(each.secrets),
  }))

  const isPresent = (key: Key, namespace: string, { at, secret }: Answer): boolean => {
    const age = clock.monotonic() - at
    if (!watched.sees(namespace)) return age < (secret ? MAX_AGE_MS : MAX_AGE_OF_MISSING_MS)
    const version = watched.versionOf(key)
    // A Secret that the watch leaves out, such as one of Helm's, is looked for now and then.
    if (version === undefined) return secret === undefined && age < MAX_AGE_MS
    const order = secret && compareVersions(secret.metadata.resourceVersion, version)
    // The cache may be behind the answer.
    return order === 'same' || order === 'newer'
  }

  const fetchOnce = async (name: Pick<SecretKey, 'namespace' | 'name'>, signal: AbortSignal) => {
    const key = keyOf(name)
    const known = firstMatch(tiers, ({ answers }) => answers.get(name.namespace, key))
    if (known && isPresent(key, name.namespace, known)) return known.secret
    const at = clock.monotonic()
    const found = await client.get(wellKnown.secret, name, { signal }).catch(unlessMissing)
    const secret = found && withValues(found)
    const length = secret ? lengthOf(secret) : 0
    for (const { answers } of tiers) answers.delete(name.namespace, key)
    tiers.find(({ longest }) => length <= longest)?.answers.set(name.namespace, key, { at, secret })
    return secret
  }

  return {
    isWatched: (name) =>
      watched.labelled(keyOf(name)) !== undefined || watched.sees(name.namespace),
    read: async ({ namespace, name, key }, signal) => {
      const secret =
        watched.labelled(keyOf({ namespace, name })) ??
        (await fetchOnce({ namespace, name }, signal))
      const value = secret?.data?.[key]
      return value === undefined
        ? undefined
        : trimmed(Buffer.from(value, 'base64').toString('utf8'))
    },
  }
}

/** A copy: V8 keeps the whole text in memory for a part of it. */
function trimmed(text: string): string {
  const part = text.trim()
  return part.length === text.length ? text : Buffer.from(part).toString('utf8')
}

function unlessMissing(error: unknown): undefined {
  if (!isKubeError(error, 'notFound')) throw error
}
