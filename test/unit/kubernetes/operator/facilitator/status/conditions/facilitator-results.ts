import {
  type FacilitatorResult,
  resultOf,
} from '../../../../../../../src/kubernetes/operator/facilitator/converge/converge.ts'
import { blockerOf } from '../../../../../../../src/kubernetes/operator/facilitator/desired/blockers.ts'
import type { FacilitatorPlan } from '../../../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import { conditionsOf } from '../../../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import { pubnet } from '../../builders.ts'
import {
  existingObjects,
  jobFailed,
  type ObservedParts,
  observedWith,
  poolWithStatus,
  resultWith,
  rolledOut,
} from '../../results.ts'

const failing = (component: string, reason: string, message: string) => [
  { name: `payments-${component}-abc`, component, reason, message },
]
const rolling = { ...rolledOut(3), readyReplicas: 2, updatedReplicas: 1, conditions: [] }
const stalled = {
  ...rolledOut(2),
  updatedReplicas: 1,
  replicas: 3,
  conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
}
const gateway = { route: { hosts: ['pay.example.com'], parentRefs: [{ name: 'public' }] } }

/** A pass that renders nothing, after one that did. */
const blockedBy = (parts: ObservedParts): FacilitatorResult => {
  const before = resultWith({ ...parts, secrets: {} })
  const conditions = conditionsOf(before).map((each) => ({
    ...each,
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }))
  const facilitator = { ...before.observed.facilitator, status: { conditions } }
  const observed = { ...before.observed, facilitator }
  const blocker = blockerOf(observedWith(parts))
  return { ...before, observed, blocker, rendered: undefined, plan: undefined }
}

const preflightIs = (state: 'Running' | 'Failed', parts: ObservedParts = {}): FacilitatorResult => {
  const result = resultWith(parts)
  const finishedAt = '2026-01-01T11:59:30Z'
  const preflight = {
    name: 'payments-preflight-0a1b2c3d',
    attempt: 1,
    result: state === 'Failed' ? { state, finishedAt } : { state },
    create: undefined,
    remove: [],
    keep: [],
    retryMs: undefined,
  }
  return { ...result, plan: result.plan && { ...result.plan, preflight } }
}
const heldBy = (by: Partial<FacilitatorPlan>): FacilitatorResult => {
  const result = resultWith({ job: {} })
  return { ...result, plan: result.plan && { ...result.plan, isHeld: true, ...by } }
}

/** Someone else had an object of the name first. */
const notOurs = (kind: 'Service' | 'Ingress'): FacilitatorResult['failures'][number] => ({
  reason: 'ChildNotOurs',
  message: `${kind} payments-facilitator exists already and was not created by the operator: delete it, or give the Facilitator another name.`,
  object: `${kind} payments-facilitator`,
})
const withoutKind = (kind: string, parts: ObservedParts = {}) =>
  existingObjects(parts).filter(
    (object) => object.kind !== kind || object.metadata.name !== 'payments-facilitator',
  )
const foreignService = (parts: ObservedParts) =>
  resultWith({ ...parts, objects: withoutKind('Service') }, [notOurs('Service')])
/** Pods that serve are to be replaced. */
const replacing = (result: FacilitatorResult): FacilitatorResult => ({
  ...result,
  plan: result.plan && { ...result.plan, replacing: result.rendered?.rollouts ?? [] },
})
const withoutPool = (parts: ObservedParts = {}) => {
  const observed = { ...observedWith(parts), pools: new Map() }
  return resultOf(observed, { blocker: blockerOf(observed) })
}

const unpayable = [
  {
    network: 'stellar:testnet',
    state: 'Unpayable',
    message:
      'each payment is refused that costs more than the 20000 stroops of MAX_TX_FEE_STROOPS (fees.maxTxFeeStroops), and the least is 33231 by exact in USDC: raise MAX_TX_FEE_STROOPS (fees.maxTxFeeStroops) to 67000',
  },
] as const

/** A state that a Facilitator can be in. */
export const facilitatorResults = {
  'everything is healthy': resultWith(),
  'the first migration runs': resultWith({ job: {}, deployment: { replicas: 0 } }),
  'the first migration failed': resultWith({
    job: jobFailed,
    deployment: {},
    failing: failing('migration', 'Error', 'svc migrate: store unavailable: ECONNREFUSED'),
  }),
  'a later migration failed': resultWith({ job: jobFailed }),
  'the database has a newer version': resultWith({
    job: jobFailed,
    failing: failing(
      'migration',
      'Error',
      'svc migrate: the database has 0009-later, which this version does not know: run a newer version',
    ),
  }),
  'the database is newer than the image and both work': {
    ...resultWith(),
    observed: {
      ...observedWith(),
      migrationNote: 'svc migrate: The database has 0099-later of a newer version',
    },
  },
  'the migration cannot have a pod': resultWith({
    job: {},
    deployment: {},
    failing: [
      {
        name: 'payments-migrate-8100f1c6',
        component: 'migration',
        reason: 'FailedCreate',
        message: 'pods is forbidden: exceeded quota: small',
      },
    ],
  }),
  'a preflight runs': preflightIs('Running'),
  'a preflight pod cannot be scheduled': preflightIs('Running', {
    failing: failing('preflight', 'Unschedulable', '0/3 nodes are available'),
  }),
  'a preflight failed': preflightIs('Failed', {
    failing: failing(
      'preflight',
      'Error',
      'svc preflight: stellar:testnet: sponsor: G does not exist on the ledger: send XLM to G',
    ),
  }),
  'the rollout waits for others': heldBy({}),
  'the same change stalled elsewhere': heldBy({ heldBy: 'first' }),
  'pods are being replaced': resultWith({ deployment: rolling }),
  'more pods are ready than wanted while they are replaced': resultWith({
    deployment: { ...rolling, replicas: 3, readyReplicas: 3 },
  }),
  'a rollout makes no progress': resultWith({
    deployment: stalled,
    failing: failing('facilitator', 'ImagePullBackOff', 'Back-off pulling image'),
  }),
  'the image cannot be pulled': resultWith({
    deployment: { ...rolling, readyReplicas: 0 },
    failing: failing(
      'facilitator',
      'ErrImagePull',
      'registry.example/stellar-x402:1.0.1: not found',
    ),
  }),
  'no pod starts': resultWith({
    deployment: { ...rolling, readyReplicas: 0 },
    failing: failing(
      'facilitator',
      'CrashLoopBackOff',
      'svc facilitator: RPC serves another network',
    ),
  }),
  'a pod was lost': resultWith({ deployment: { ...rolledOut(2), readyReplicas: 1 } }),
  'the spec asks for no replicas': resultWith({ spec: { replicas: 0 }, deployment: rolledOut(0) }),
  'a secret is missing while pods serve': blockedBy({
    secrets: { 'x402-database/url': undefined },
  }),
  'the pool is not ready': resultWith({
    pools: [
      poolWithStatus(
        {
          ready: ['False', 'SponsorMissing', 'The sponsor does not exist.'],
          funded: ['False', 'SponsorMissing', 'Send it XLM.'],
        },
        { wanted: 8, ready: 0 },
      ),
    ],
  }),
  'the pool is growing': resultWith({
    pools: [
      poolWithStatus(
        {
          ready: ['True', 'ChannelsMissing', '8 of 20 channels are ready.'],
          degraded: ['True', 'ChannelsMissing', 'The spec is not met: condition Ready says why.'],
        },
        { wanted: 20, ready: 8 },
      ),
    ],
  }),
  'the pool is too small': resultWith({
    spec: { replicas: 9 },
    pools: [poolWithStatus()],
  }),
  'the database does not answer': resultWith({
    pools: [
      poolWithStatus({ ready: ['Unknown', 'StoreUnreachable', 'The database does not answer.'] }),
    ],
  }),
  'RPC does not answer': resultWith({
    pools: [poolWithStatus({ ready: ['Unknown', 'RpcUnreachable', 'No RPC endpoint answers.'] })],
  }),
  'the cluster lacks the Gateway API': resultWith({ spec: gateway }),
  'the cluster lacks the kinds of the Prometheus operator': resultWith({
    spec: { monitoring: { mode: 'Always' } },
  }),
  'a child is refused': resultWith({}, [
    {
      reason: 'ChildRejected',
      message: 'The cluster refused Deployment payments-facilitator: no.',
    },
  ]),
  'the Service is of others': foreignService({}),
  'the Service is of others and a secret is missing': {
    ...foreignService({ secrets: { 'x402-database/url': undefined } }),
    blocker: blockerOf(observedWith({ secrets: { 'x402-database/url': undefined } })),
    plan: undefined,
    failures: [],
  },
  'the route is of others': resultWith(
    {
      spec: { route: { hosts: ['pay.example.com'], ingressClassName: 'nginx' } },
      objects: withoutKind('Ingress'),
    },
    [notOurs('Ingress')],
  ),
  'the Secret of the sponsor has another seed': replacing(
    preflightIs('Failed', {
      pools: [
        poolWithStatus({
          ready: [
            'True',
            'SponsorChanged',
            '8 channels ready when the operator last looked; pods that serve go on.',
          ],
          degraded: [
            'True',
            'SponsorChanged',
            'The Secret holds the seed of GB, but the channels belong to GA: put its seed back.',
          ],
        }),
      ],
      failing: failing(
        'preflight',
        'Error',
        'svc preflight: stellar:testnet: channels: none of GB',
      ),
    }),
  ),
  'pods have been replaced since the Secret has another seed': resultWith({
    pools: [
      poolWithStatus({
        ready: [
          'True',
          'SponsorChanged',
          '8 channels ready when the operator last looked; pods that serve go on.',
        ],
        degraded: [
          'True',
          'SponsorChanged',
          'The Secret holds the seed of GB, but the channels belong to GA: put its seed back.',
        ],
      }),
    ],
  }),
  'the deletion of its pool is blocked': resultWith({
    pools: [
      poolWithStatus({
        degraded: [
          'True',
          'DeletionBlocked',
          'Facilitator payments still uses this pool: delete it, or take the pool out of its spec.networks.',
        ],
      }),
    ],
  }),
  'no payment can be made on its terms': { ...resultWith(), terms: unpayable },
  'no payment can be made in one of its assets': {
    ...resultWith(),
    terms: unpayable.map((each) => ({ ...each, state: 'Invalid' as const })),
  },
  'its pool is gone while pods serve': withoutPool(),
  'its pool does not exist yet': withoutPool({ objects: [] }),
  'another pool manages the sponsor': resultWith({
    pools: [
      poolWithStatus({
        ready: [
          'False',
          'Conflict',
          'ChannelPool shop/other already manages the channels of sponsor GA: delete one of the two.',
        ],
      }),
    ],
  }),
  'no pod serves a network that was added': resultWith({
    spec: { networks: [{ channelPool: 'testnet' }, { channelPool: 'pubnet', access: 'Everyone' }] },
    pools: [poolWithStatus(), { ...pubnet(), status: poolWithStatus().status } as never],
    objects: existingObjects({}),
  }),
} satisfies Readonly<Record<string, FacilitatorResult>>
