import type { ChannelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import type { Facilitator } from '../../../../../src/kubernetes/crd/facilitator.ts'
import { childAnnotations } from '../../../../../src/kubernetes/crd/names/marks.ts'
import {
  type FacilitatorResult,
  resultOf,
} from '../../../../../src/kubernetes/operator/facilitator/converge/converge.ts'
import type { ObservedFacilitator } from '../../../../../src/kubernetes/operator/facilitator/observe/observe.ts'
import { planFacilitator } from '../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import {
  type Rendered,
  render,
} from '../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { podImage } from '../../../../../src/kubernetes/operator/facilitator/spec/image.ts'
import { planApply } from '../../../../../src/kubernetes/runtime/apply/plan-apply.ts'
import {
  type DesiredObject,
  type KubeObject,
  keyOf,
} from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import type { AnyObject } from '../../../../../src/kubernetes/runtime/objects/well-known.ts'
import type { Json } from '../../../../support/api/manifests.ts'
import {
  DEFAULT_IMAGE,
  desiredWith,
  existingSecrets,
  facilitatorWith,
  poolWith,
  testDigest,
} from './builders.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const hashAnnotation = childAnnotations.desiredHash

const condition = (type: string, status: string, reason: string, message = 'No problem.') => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

/** A pool with these conditions. */
export const poolWithStatus = (
  {
    ready = ['True', 'ChannelsReady', 'No problem.'],
    funded = ['True', 'SponsorFunded'],
    degraded = ['False', 'AsSpecified'],
  }: {
    readonly ready?: readonly [string, string, string]
    readonly funded?: readonly [string, string, string?]
    readonly degraded?: readonly [string, string, string?]
  } = {},
  channels: Json = { wanted: 8, ready: 8 },
): ChannelPool =>
  poolWith(
    {},
    {
      status: {
        conditions: [
          condition('Ready', ...ready),
          condition('Funded', ...funded),
          condition('Degraded', ...degraded),
        ],
        channels,
      },
    },
  )

/** The object in the API server after the operator applied it. */
export function live(
  desired: DesiredObject,
  owner: Facilitator,
  { status, metadata }: { readonly status?: Json; readonly metadata?: Json } = {},
): AnyObject {
  const plan = planApply({ desired, live: undefined, owner, hashAnnotation })
  if (plan.do !== 'create') throw new Error('the object exists already')
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

export const objectsOf = ({
  independent,
  migration,
  rollouts,
}: Rendered): readonly DesiredObject[] => [
  ...independent,
  migration,
  ...rollouts.flatMap(({ configMap, deployment }) => [configMap, deployment]),
]

export interface ObservedParts {
  readonly spec?: Json
  readonly annotations?: Readonly<Record<string, string>>
  readonly pools?: readonly ChannelPool[]
  readonly secrets?: Readonly<Record<string, string | undefined>>
  readonly image?: string
  /** Objects of the cluster; all rendered objects, healthy, when absent. */
  readonly objects?: readonly AnyObject[]
  readonly job?: Json | undefined
  readonly deployment?: Json | undefined
  readonly serves?: readonly string[]
  readonly failing?: ObservedFacilitator['failing']
}

export function existingObjects({
  spec = {},
  job = jobDone,
  deployment,
}: ObservedParts): readonly AnyObject[] {
  const desired = desiredWith(spec, { pools: [poolWithStatus()] })
  const { facilitator } = desired
  return objectsOf(render(desired)).flatMap((object) => {
    const statuses: Readonly<Record<string, Json | undefined>> = {
      Job: job,
      Deployment: deployment ?? rolledOut(Number(Object(object['spec']).replicas)),
    }
    const status = statuses[object.kind]
    return [live(object, facilitator, status ? { status } : {})]
  })
}

/** A healthy Facilitator, changed by the parts. */
export function observedWith(parts: ObservedParts = {}): ObservedFacilitator {
  const { spec = {}, annotations, pools = [poolWithStatus()], serves = [], failing = [] } = parts
  const facilitator = facilitatorWith(spec, annotations ? { annotations } : {})
  const objects = parts.objects ?? existingObjects(parts)
  const byKey = new Map(
    objects.map((object) => [`${object.kind} ${keyOf(object.metadata)}`, object]),
  )
  const secrets = Object.entries({ ...existingSecrets, ...parts.secrets }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return {
    facilitator,
    pools: new Map(pools.map((pool) => [pool.metadata.name, pool])),
    secrets: new Map(secrets),
    digest: testDigest,
    image: podImage(facilitator, parts.image ?? DEFAULT_IMAGE),
    owned: objects.filter(isControlledBy(facilitator)),
    find: (kind, key) => byKey.get(`${kind} ${key}`),
    serves: (kind) => serves.includes(kind),
    hasUnwatchedSecrets: false,
    failing,
    servingPods: [],
    now: NOW,
  }
}

const isControlledBy =
  ({ metadata: { uid } }: Facilitator) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false

/** One pass over it. */
export function resultWith(
  parts: ObservedParts = {},
  failures: FacilitatorResult['failures'] = [],
): FacilitatorResult {
  const observed = observedWith(parts)
  const pools = [...observed.pools.values()]
  const rendered = render(desiredWith(parts.spec, { pools }))
  const terms = [{ network: 'stellar:testnet', state: 'Tried', message: '' }] as const
  const plan = planFacilitator(observed, rendered)
  return resultOf(observed, { rendered, plan, failures, terms })
}
