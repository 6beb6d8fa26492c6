import { firstMatch } from '../../../../platform/core/language/first-match.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import type { ReadStore } from '../../../runtime/cache/store.ts'
import type { KubeClient } from '../../../runtime/client/client.ts'
import { type Key, keyOf } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import { inFields } from '../../reporting/in-fields.ts'
import type { ReadDigest, SecretDigest } from '../../secret-digest.ts'
import type { ChildCaches } from '../../watches/child-caches.ts'
import type { ChildKind, OptionalKind } from '../../watches/child-kinds.ts'
import {
  type FailingPod,
  failureOf,
  isServing,
  noteOf,
  type Pod,
} from '../../watches/failing-pods.ts'
import { index } from '../../watches/indexes.ts'
import type { SecretReader } from '../../watches/secrets.ts'
import { MIGRATION } from '../spec/child-metadata.ts'
import { fieldNames } from '../spec/field-names.ts'
import { type PodImage, podImage } from '../spec/image.ts'
import { allSecretFiles, type SecretRef, secretId } from '../spec/secret-files.ts'
import { failedJobs, failedReplicas } from './failed-creation.ts'

/** Everything that a plan for one Facilitator is made from. */
export interface ObservedFacilitator {
  readonly facilitator: Facilitator
  /** The existing pools of `spec.networks`, by name. */
  readonly pools: ReadonlyMap<string, ChannelPool>
  /** The values of existing keys, by `secretId`. */
  readonly secrets: ReadonlyMap<string, string>
  readonly digest: SecretDigest
  /** Whether some of these Secrets are not watched: their changes are found only by reading them again. */
  readonly hasUnwatchedSecrets: boolean
  readonly image: PodImage | undefined
  /** Objects of every kind that the Facilitator controls. */
  readonly owned: readonly AnyObject[]
  /** Any object of a kind by `namespace/name`, with any controller. */
  readonly find: (kind: ChildKind, key: Key) => AnyObject | undefined
  readonly serves: (kind: OptionalKind) => boolean
  readonly failing: readonly FailingPod[]
  /** The names of the pods that serve payments. */
  readonly servingPods: readonly string[]
  /** See `DesiredFacilitator`. */
  readonly runbooks?: string | undefined
  /** The note of a migration that succeeded: the database is newer than the image. */
  readonly migrationNote?: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

export interface ObserveDeps {
  readonly pools: ReadStore<ChannelPool>
  readonly children: ChildCaches
  /** The pods, with the index by Facilitator. */
  readonly pods: ReadStore<Pod>
  readonly secrets: SecretReader
  readonly readDigest: ReadDigest
  /** The image of a Facilitator that names none; empty when there is no such default. */
  readonly facilitatorImage: string
  readonly runbooks?: string | undefined
  readonly clock: Clock
  /** Lists the events of Jobs that have no pod. */
  readonly client: Pick<KubeClient, 'list'>
}

/**
 * Reads the caches; calls the API server only for Secrets that are not watched, once for the key of the digests, and for events of
 * Jobs without pods.
 * Throws KubeErrors.
 */
export async function observeFacilitator(
  facilitator: Facilitator,
  deps: ObserveDeps,
  signal: AbortSignal,
): Promise<ObservedFacilitator> {
  const {
    pools: poolStore,
    children,
    pods,
    secrets: reader,
    readDigest,
    facilitatorImage,
    clock,
    client,
  } = deps
  const { namespace } = facilitator.metadata
  const pools = poolsOf(facilitator, poolStore)
  const refs = secretRefsOf(facilitator, pools)
  const secrets = new Map<string, string>()
  for (const ref of refs) {
    const value = await reader.read({ namespace, ...ref }, signal)
    if (value !== undefined) secrets.set(secretId(ref), value)
  }
  const owned = children.ownedBy(facilitator.metadata)
  const own = pods.by(index.byFacilitator, keyOf(facilitator.metadata))
  const now = clock.now()
  const failing = [
    ...own.flatMap((pod) => failureOf(pod) ?? []),
    ...failedReplicas(owned),
    ...(await failedJobs(owned, now, client, signal)),
  ]
  return {
    facilitator,
    pools,
    secrets,
    digest: await readDigest(),
    hasUnwatchedSecrets: !refs.every(({ name }) => reader.isWatched({ namespace, name })),
    image: podImage(facilitator, facilitatorImage),
    owned,
    find: children.find,
    serves: children.serves,
    failing: failing.length === 0 ? failing : inItsFields(failing, facilitator, pools),
    servingPods: own.filter(isServing).map(({ metadata: { name } }) => name),
    runbooks: deps.runbooks,
    migrationNote: firstMatch(own, (pod) => noteOf(pod, MIGRATION)),
    now,
  }
}

/** Pods name variables. */
function inItsFields(
  failing: readonly FailingPod[],
  facilitator: Facilitator,
  pools: ReadonlyMap<string, ChannelPool>,
): readonly FailingPod[] {
  const names = fieldNames(facilitator, pools)
  return failing.map((each) => ({ ...each, message: inFields(each.message, names) }))
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

/**
 * The Secrets that the Facilitator names, without duplicates. Includes the databases of the pools, which have to be the Facilitator's
 * own.
 */
function secretRefsOf(
  facilitator: Facilitator,
  pools: ReadonlyMap<string, ChannelPool>,
): readonly SecretRef[] {
  const refs = [
    ...allSecretFiles(facilitator, [...pools.values()]).map(({ ref }) => ref),
    ...[...pools.values()].map(({ spec }) => spec.database.secretRef),
  ]
  return [...new Map(refs.map((ref) => [secretId(ref), ref])).values()]
}
