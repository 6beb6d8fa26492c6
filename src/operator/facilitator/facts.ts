import type { ChannelPool } from '../../api/channel-pool.ts'
import type { Facilitator } from '../../api/facilitator.ts'
import type { Clock } from '../../core/clock.ts'
import { keyOf } from '../../kube/resource.ts'
import type { ReadStore } from '../../kube/store.ts'
import { index } from '../indexes.ts'
import type { SecretReader } from '../secrets.ts'
import { mounted } from './blockers.ts'
import type { ChildCaches } from './child-caches.ts'
import { failureOf, type Pod } from './failing-pods.ts'
import type { FacilitatorView } from './view.ts'
import { imageOf, type SecretRef, secretId } from './wanted.ts'

export interface FactSources {
  readonly pools: ReadStore<ChannelPool>
  readonly children: ChildCaches
  /** With the index by Facilitator. */
  readonly pods: ReadStore<Pod>
  readonly secrets: SecretReader
  /** For a Facilitator that names no image; empty for none. */
  readonly facilitatorImage: string
  readonly clock: Clock
}

export interface Facts {
  readonly view: FacilitatorView
  /** Whether a Secret may change without anybody telling. */
  readonly mayChangeUnheard: boolean
}

/** Looks everything up. Calls the API server only for Secrets that are not watched. */
export async function gather(
  facilitator: Facilitator,
  sources: FactSources,
  signal: AbortSignal,
): Promise<Facts> {
  const { children, secrets: reader, facilitatorImage, clock } = sources
  const { namespace, uid } = facilitator.metadata
  const pools = poolsOf(facilitator, sources.pools)
  const refs = refsOf(facilitator, pools)
  const secrets = new Map<string, string>()
  for (const ref of refs) {
    const value = await reader.read({ namespace, ...ref }, signal)
    if (value !== undefined) secrets.set(secretId(ref), value)
  }
  const view: FacilitatorView = {
    facilitator,
    pools,
    secrets,
    image: imageOf(facilitator, facilitatorImage),
    owned: children.ownedBy(uid),
    find: children.find,
    serves: children.serves,
    failing: sources.pods
      .by(index.byFacilitator, keyOf(facilitator.metadata))
      .flatMap((pod) => failureOf(pod) ?? []),
    now: clock.now(),
  }
  const isHeardOf = ({ name }: SecretRef) => reader.isWatched({ namespace, name })
  return { view, mayChangeUnheard: !refs.every(isHeardOf) }
}

function poolsOf(
  { spec, metadata: { namespace } }: Facilitator,
  pools: ReadStore<ChannelPool>,
): ReadonlyMap<string, ChannelPool> {
  const found = spec.networks.flatMap(({ channelPool: name }): [string, ChannelPool][] => {
    const pool = pools.get(keyOf({ namespace, name }))
    return pool ? [[name, pool]] : []
  })
  return new Map(found)
}

/** Each once, those of the pools' databases with them: two that differ are worth a word. */
function refsOf(
  facilitator: Facilitator,
  pools: ReadonlyMap<string, ChannelPool>,
): readonly SecretRef[] {
  const refs = [
    ...mounted({ facilitator, pools }).map(({ ref }) => ref),
    ...[...pools.values()].map(({ spec }) => spec.databaseSecretRef),
  ]
  return [...new Map(refs.map((ref) => [secretId(ref), ref])).values()]
}
