import { type NetworkId, networkIds } from '../../../../platform/core/caip2.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { FacilitatorStatus } from '../../../crd/facilitator/status.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import { podSponsors, stepOf } from '../../references/pod-sponsors.ts'
import { keySecretOf } from '../../references/sponsor-source.ts'
import { isRolledOut, workloadOf } from '../observe/workload.ts'
import { type SecretRef, secretId } from '../spec/secret-file.ts'
import { keyFileNames, servedFileNames, sponsorFiles } from '../spec/sponsor-files.ts'

type MountedSponsors = NonNullable<FacilitatorStatus['sponsors']>[number]

interface MountedInput {
  readonly facilitator: Facilitator
  /** The existing pools of `spec.networks`. */
  readonly pools: ReadonlyMap<string, ChannelPool>
  /** The Deployment of the facilitator pods. */
  readonly deployment: AnyObject | undefined
  /** Pods that it should have. */
  readonly replicas: number
}

/**
 * The pools whose sponsors every facilitator pod has the keys of, as the step of the pool says, read from the Deployment and not from what was
 * rendered: a rollout may wait for its preflight. Empty until the last pod is replaced.
 */
export function mountedSponsors(input: MountedInput): readonly MountedSponsors[] {
  const { facilitator, pools, deployment, replicas } = input
  if (!isRolledOut(workloadOf(deployment), replicas)) return []
  const mounted = secretFilesIn(deployment)
  return facilitator.spec.networks.flatMap(({ channelPool, upto }) => {
    const pool = pools.get(channelPool)
    if (!pool || !mountsAsSaid(mounted, facilitator, pool)) return []
    const { current, next, previous } = podSponsors(pool, upto !== undefined)
    return [
      {
        channelPool,
        step: stepOf(pool),
        current: refOf(keySecretOf(pool, current)),
        ...(next && { next: refOf(keySecretOf(pool, next)) }),
        ...(previous && { previous: refOf(keySecretOf(pool, previous)) }),
      },
    ]
  })
}

/** The networks whose sponsor the pods of the Deployment serve. */
export function servedNetworks(deployment: AnyObject | undefined): readonly NetworkId[] {
  const mounted = secretFilesIn(deployment)
  return networkIds.filter((network) => servedFileNames(network).some((file) => mounted.has(file)))
}

const refOf = ({ name, key }: SecretRef): SecretRef => ({ name, key })

/** Neither another seed nor one more. */
function mountsAsSaid(
  mounted: ReadonlyMap<string, string>,
  facilitator: Facilitator,
  pool: ChannelPool,
): boolean {
  const wanted = new Map(
    sponsorFiles(facilitator, pool).map(({ file, ref }) => [file, secretId(ref)]),
  )
  return keyFileNames(pool.spec.network).every((file) => mounted.get(file) === wanted.get(file))
}

interface ProjectedSecret {
  readonly secret?: {
    readonly name: string
    readonly items?: readonly { readonly key: string; readonly path: string }[]
  }
}

interface Volume {
  readonly name: string
  readonly projected?: { readonly sources?: readonly ProjectedSecret[] }
}

/** `secretId` by the name of the file. */
function secretFilesIn(deployment: AnyObject | undefined): ReadonlyMap<string, string> {
  const template = deployment?.spec?.['template'] as
    | { readonly spec?: { readonly volumes?: readonly Volume[] } }
    | undefined
  const volume = template?.spec?.volumes?.find(({ name }) => name === 'secrets')
  const sources = volume?.projected?.sources ?? []
  return new Map(
    sources.flatMap(({ secret }) =>
      (secret?.items ?? []).map(({ key, path }): [string, string] => [
        path,
        secretId({ name: secret?.name ?? '', key }),
      ]),
    ),
  )
}
