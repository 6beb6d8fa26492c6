import { expect, test } from 'vitest'
import { toYaml } from '../../../../src/api/yaml.ts'
import { blockerOf } from '../../../../src/operator/facilitator/blockers.ts'
import { figuresOf } from '../../../../src/operator/facilitator/figures.ts'
import { judgeFacilitator } from '../../../../src/operator/facilitator/judge.ts'
import type { Seen } from '../../../../src/operator/facilitator/seen.ts'
import { jobFailed, poolThat, rolledOut, seenWith, type ViewParts, viewWith } from './views.ts'

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
const gateway = { route: { host: 'pay.example.com', gatewayRef: { name: 'public' } } }

const blockedBy = (parts: ViewParts): Seen => {
  const seen = seenWith({ ...parts, secrets: {} })
  return { ...seen, blocker: blockerOf(viewWith(parts)), plan: undefined }
}

const cases: Readonly<Record<string, Seen>> = {
  'all is well': seenWith(),
  'the first migration runs': seenWith({ job: {}, deployment: { replicas: 0 } }),
  'the first migration failed': seenWith({
    job: jobFailed,
    deployment: {},
    failing: failing('migration', 'Error', 'svc migrate: store unavailable: ECONNREFUSED'),
  }),
  'a later migration failed': seenWith({ job: jobFailed }),
  'the database is of a newer version': seenWith({
    job: jobFailed,
    failing: failing(
      'migration',
      'Error',
      'svc migrate: the database has 0009-later, which this version does not know: run a newer version',
    ),
  }),
  'pods are replaced': seenWith({ deployment: rolling }),
  'a rollout makes no progress': seenWith({
    deployment: stalled,
    failing: failing('facilitator', 'ImagePullBackOff', 'Back-off pulling image'),
  }),
  'no pod starts': seenWith({
    deployment: { ...rolling, readyReplicas: 0 },
    failing: failing(
      'facilitator',
      'CrashLoopBackOff',
      'svc facilitator: RPC serves another network',
    ),
  }),
  'a pod was lost': seenWith({ deployment: { ...rolledOut(2), readyReplicas: 1 } }),
  'nothing is wanted': seenWith({ spec: { replicas: 0 }, deployment: rolledOut(0) }),
  'a secret is gone while pods serve': blockedBy({ secrets: { 'x402-database/url': undefined } }),
  'the pool is not ready': seenWith({
    pools: [
      poolThat(
        {
          ready: ['False', 'SponsorMissing', 'The sponsor does not exist.'],
          funded: ['False', 'SponsorMissing', 'Send it XLM.'],
        },
        { wanted: 8, ready: 0 },
      ),
    ],
  }),
  'the pool is growing': seenWith({
    pools: [
      poolThat(
        { ready: ['False', 'ChannelsMissing', '8 of 20 channels are ready.'] },
        { wanted: 20, ready: 8 },
      ),
    ],
  }),
  'the pool is too small': seenWith({
    spec: { replicas: 9 },
    pools: [poolThat()],
  }),
  'the database does not answer': seenWith({
    pools: [poolThat({ ready: ['Unknown', 'StoreUnreachable', 'The database does not answer.'] })],
  }),
  'RPC does not answer': seenWith({
    pools: [poolThat({ ready: ['Unknown', 'RpcUnreachable', 'No RPC endpoint answers.'] })],
  }),
  'the cluster has no Gateway API': seenWith({ spec: gateway }),
  'monitoring must be and cannot': seenWith({ spec: { monitoring: { mode: 'Always' } } }),
  'a child is refused': seenWith({}, [
    {
      reason: 'ChildRejected',
      message: 'The cluster refused Deployment payments-facilitator: no.',
    },
  ]),
}

test.each(Object.entries(cases))('it says in sentences: %s', async (name, seen) => {
  const conditions = Object.fromEntries(
    judgeFacilitator(seen).map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  )
  const { selector: _, ...figures } = figuresOf(seen)
  const file = `__golden__/judge/${name.replaceAll(' ', '-')}.yaml`
  await expect(toYaml({ conditions, figures })).toMatchFileSnapshot(file)
})

test.each(Object.entries(cases))('it fits the bounds of the status: %s', (_, seen) => {
  for (const { message } of judgeFacilitator(seen)) {
    expect(message).toMatch(/[.]$/)
    expect(message).not.toMatch(/undefined/)
  }
})
