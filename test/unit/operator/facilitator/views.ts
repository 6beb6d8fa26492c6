import type { ChannelPool } from '../../../../src/api/channel-pool.ts'
import type { Facilitator } from '../../../../src/api/facilitator.ts'
import { childAnnotations } from '../../../../src/api/marks.ts'
import { planApply } from '../../../../src/kube/plan-apply.ts'
import { type DesiredObject, type KubeObject, keyOf } from '../../../../src/kube/resource.ts'
import type { AnyObject } from '../../../../src/kube/well-known.ts'
import { partsOf } from '../../../../src/operator/facilitator/parts.ts'
import { planFacilitator } from '../../../../src/operator/facilitator/plan.ts'
import { nameOf } from '../../../../src/operator/facilitator/render/common.ts'
import { type Rendered, render } from '../../../../src/operator/facilitator/render.ts'
import type { Seen } from '../../../../src/operator/facilitator/seen.ts'
import { seenPools } from '../../../../src/operator/facilitator/seen-pools.ts'
import type { FacilitatorView } from '../../../../src/operator/facilitator/view.ts'
import { imageOf } from '../../../../src/operator/facilitator/wanted.ts'
import { workloadOf } from '../../../../src/operator/facilitator/workload.ts'
import type { Json } from '../../../support/api/manifests.ts'
import { DEFAULT_IMAGE, facilitatorWith, poolWith, secretsThere, wantedWith } from './builders.ts'

export const NOW = Date.parse('2026-01-01T12:00:00Z')
const hashAnnotation = childAnnotations.desiredHash

const says = (type: string, status: string, reason: string, message = 'It is well.') => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

/** A pool with this to say of itself. */
export const poolThat = (
  {
    ready = ['True', 'ChannelsReady', 'It is well.'],
    funded = ['True', 'SponsorFunded'],
  }: {
    readonly ready?: readonly [string, string, string]
    readonly funded?: readonly [string, string, string?]
  } = {},
  channels: Json = { wanted: 8, ready: 8 },
): ChannelPool =>
  poolWith(
    {},
    { status: { conditions: [says('Ready', ...ready), says('Funded', ...funded)], channels } },
  )

/** What the API server would hold of something that the operator applied. */
export function live(
  desired: DesiredObject,
  owner: Facilitator,
  { status, metadata }: { readonly status?: Json; readonly metadata?: Json } = {},
): AnyObject {
  const plan = planApply({ desired, live: undefined, owner, hashAnnotation })
  if (plan.do !== 'create') throw new Error('there is nothing to be made')
  const { name } = desired.metadata
  const given = { uid: `uid-${desired.kind}-${name}`, resourceVersion: '1', generation: 1 }
  return {
    ...plan.body,
    metadata: { ...plan.body.metadata, ...given, ...metadata },
    ...(status && { status }),
  } as AnyObject
}

export const jobDone: Json = {
  conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-01-01T11:00:00Z' }],
  completionTime: '2026-01-01T11:00:00Z',
}
export const jobFailed: Json = {
  conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-01-01T11:59:30Z' }],
}
export const rolledOut = (replicas: number): Json => ({
  observedGeneration: 1,
  replicas,
  readyReplicas: replicas,
  updatedReplicas: replicas,
  conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }],
})

const objectsOf = ({ around, migration, rollouts }: Rendered): readonly DesiredObject[] => [
  ...around,
  migration,
  ...rollouts.flatMap(({ configMap, deployment }) => [configMap, deployment]),
]

export interface ViewParts {
  readonly spec?: Json
  readonly annotations?: Readonly<Record<string, string>>
  readonly pools?: readonly ChannelPool[]
  readonly secrets?: Readonly<Record<string, string | undefined>>
  readonly image?: string
  /** Objects of the cluster; everything rendered and well when absent. */
  readonly objects?: readonly AnyObject[]
  readonly job?: Json | undefined
  readonly deployment?: Json | undefined
  readonly serves?: readonly string[]
  readonly failing?: FacilitatorView['failing']
}

export function everythingThere({
  spec = {},
  job = jobDone,
  deployment,
}: ViewParts): readonly AnyObject[] {
  const wanted = wantedWith(spec, { pools: [poolThat()] })
  const { facilitator } = wanted
  return objectsOf(render(wanted)).flatMap((object) => {
    const statuses: Readonly<Record<string, Json | undefined>> = {
      Job: job,
      Deployment: deployment ?? rolledOut(Number(Object(object['spec']).replicas)),
    }
    const status = statuses[object.kind]
    return [live(object, facilitator, status ? { status } : {})]
  })
}

/** A Facilitator that is as it should be, but for what is said. */
export function viewWith(parts: ViewParts = {}): FacilitatorView {
  const { spec = {}, annotations, pools = [poolThat()], serves = [], failing = [] } = parts
  const facilitator = facilitatorWith(spec, annotations ? { annotations } : {})
  const objects = parts.objects ?? everythingThere(parts)
  const byKey = new Map(
    objects.map((object) => [`${object.kind} ${keyOf(object.metadata)}`, object]),
  )
  const secrets = Object.entries({ ...secretsThere, ...parts.secrets }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return {
    facilitator,
    pools: new Map(pools.map((pool) => [pool.metadata.name, pool])),
    secrets: new Map(secrets),
    image: imageOf(facilitator, parts.image ?? DEFAULT_IMAGE),
    owned: objects.filter(isControlledBy(facilitator)),
    find: (kind, key) => byKey.get(`${kind} ${key}`),
    serves: (kind) => serves.includes(kind),
    failing,
    now: NOW,
  }
}

const isControlledBy =
  ({ metadata: { uid } }: Facilitator) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false

/** What comes of looking at it, with nothing refused. */
export function seenWith(parts: ViewParts = {}, troubles: Seen['troubles'] = []): Seen {
  const view = viewWith(parts)
  const { facilitator } = view
  const pools = [...view.pools.values()]
  const wanted = wantedWith(parts.spec, { pools })
  return {
    view,
    blocker: undefined,
    plan: planFacilitator(view, wanted),
    troubles,
    parts: partsOf(facilitator).map((part) => {
      const name = nameOf(facilitator, part.component)
      const key = keyOf({ namespace: facilitator.metadata.namespace, name })
      return { part, deployment: name, workload: workloadOf(view.find('Deployment', key)) }
    }),
    pools: seenPools(view),
  }
}
