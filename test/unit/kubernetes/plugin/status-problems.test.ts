import { expect, test } from 'vitest'
import type { Condition, PoolObject } from '../../../../src/kubernetes/plugin/cluster/kinds.ts'
import type { FacilitatorFacts } from '../../../../src/kubernetes/plugin/status/facts.ts'
import type { HealthWarning } from '../../../../src/kubernetes/plugin/status/health.ts'
import { problemsOf } from '../../../../src/kubernetes/plugin/status/problems.ts'

const network = 'stellar:testnet'
const low = { type: 'Funded', status: 'False', reason: 'SponsorLow', message: 'Send 1 XLM to G.' }
const belowFloor = {
  code: 'sponsor_below_floor',
  severity: 'critical',
  message: 'the sponsor can spend little; send 1 XLM to G',
  network,
}

const found = (conditions: readonly Condition[], warnings: readonly HealthWarning[]) => {
  const object = { apiVersion: 'x402.svc.dev/v1alpha1', metadata: { name: 'x', namespace: 'shop' } }
  const pool = {
    ...object,
    kind: 'ChannelPool',
    spec: { network },
    status: { conditions },
  } as unknown as PoolObject
  const facts: FacilitatorFacts = {
    facilitator: {
      ...object,
      kind: 'Facilitator',
      spec: {},
      status: { conditions: [] },
    } as unknown as FacilitatorFacts['facilitator'],
    pools: [{ name: 'x', pool: { value: pool } }],
    pods: { value: [] },
    health: { value: { pod: 'x-1', state: 'degraded', payments: [], warnings } },
    events: { value: [] },
  }
  return problemsOf(facts).map(({ reason }) => reason)
}

test.each<{
  when: string
  conditions: readonly Condition[]
  warnings: readonly HealthWarning[]
  are: readonly string[]
}>([
  {
    when: 'the pool and the pods tell of the same sponsor',
    conditions: [low],
    warnings: [belowFloor],
    are: ['SponsorLow'],
  },
  {
    when: 'the pods tell of the sponsor of another network',
    conditions: [low],
    warnings: [{ ...belowFloor, network: 'stellar:pubnet' }],
    are: ['SponsorLow', 'sponsor_below_floor'],
  },
  {
    when: 'the pool is well',
    conditions: [{ ...low, status: 'True', reason: 'SponsorFunded' }],
    warnings: [belowFloor],
    are: ['sponsor_below_floor'],
  },
  {
    when: 'the pods tell of something else',
    conditions: [low],
    warnings: [{ ...belowFloor, code: 'ledger_stale' }],
    are: ['SponsorLow', 'ledger_stale'],
  },
])('the problems of a Facilitator are $are when $when', ({ conditions, warnings, are }) => {
  expect(found(conditions, warnings)).toEqual(are)
})

test('N1: a held rollout is one problem, which says what to do', () => {
  const held = (type: string, status: string, message: string): Condition => ({
    type,
    status,
    reason: 'RolloutHeld',
    message,
  })
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'Serving', message: '2 of 2 pods are ready.' },
    held('Progressing', 'False', 'No change is made: condition Degraded says why.'),
    held('Degraded', 'True', 'The same change stalled on Facilitator first.'),
    held('Stalled', 'True', 'Nothing goes on: condition Degraded says what to do.'),
  ]
  const metadata = { name: 'payments', namespace: 'shop' }
  const facilitator = { kind: 'Facilitator', metadata, spec: {}, status: { conditions } }
  const facts = {
    facilitator,
    pools: [],
    pods: { why: '' },
    health: { why: '' },
    events: { why: '' },
  }
  const about = 'Facilitator payments'
  const message = 'The same change stalled on Facilitator first.'
  expect(problemsOf(facts as unknown as FacilitatorFacts)).toEqual([
    { about, reason: 'RolloutHeld', message },
  ])
})
