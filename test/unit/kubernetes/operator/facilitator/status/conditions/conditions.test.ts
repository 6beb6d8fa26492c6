import { expect, test } from 'vitest'
import { toYaml } from '../../../../../../../src/kubernetes/crd/definitions/yaml.ts'
import type { FacilitatorResult } from '../../../../../../../src/kubernetes/operator/facilitator/converge/converge.ts'
import { blockerOf } from '../../../../../../../src/kubernetes/operator/facilitator/desired/blockers.ts'
import type { FacilitatorPlan } from '../../../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import { conditionsOf } from '../../../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import { stalledBy } from '../../../../../../../src/kubernetes/operator/facilitator/status/report.ts'
import { statusOf } from '../../../../../../../src/kubernetes/operator/facilitator/status/status.ts'
import { progressConditions } from '../../../../../../../src/kubernetes/operator/reporting/report.ts'
import { kstatusOf } from '../../../../../../support/kstatus.ts'
import {
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

const cases: Readonly<Record<string, FacilitatorResult>> = {
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
        { ready: ['False', 'ChannelsMissing', '8 of 20 channels are ready.'] },
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
}

/** As the reporter writes them. */
const allConditions = (result: FacilitatorResult) => {
  const conditions = conditionsOf(result)
  return [...conditions, ...progressConditions(conditions, stalledBy(conditions))]
}

test.each(Object.entries(cases))('conditions and status when %s', async (name, result) => {
  const all = allConditions(result)
  const judged = kstatusOf({
    metadata: { generation: 1 },
    status: { observedGeneration: 1, conditions: all },
  })
  const conditions = Object.fromEntries(
    all.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
  )
  const { selector: _, ...status } = statusOf(result)
  const file = `__golden__/conditions/${name.replaceAll(' ', '-')}.yaml`
  await expect(toYaml({ kstatus: judged, conditions, status })).toMatchFileSnapshot(file)
})

test.each(Object.entries(cases))('messages are whole sentences when %s', (_, result) => {
  for (const { message } of conditionsOf(result)) {
    expect(message).toMatch(/[.]$/)
    expect(message).not.toMatch(/undefined/)
  }
})

test.each(Object.entries(cases))('it never reconciles and stalls at once, when %s', (_, result) => {
  const isTrue = allConditions(result).filter(({ status }) => status === 'True')
  const names = isTrue.map(({ type }) => type as string)
  expect(names.includes('Reconciling') && names.includes('Stalled')).toBe(false)
})
