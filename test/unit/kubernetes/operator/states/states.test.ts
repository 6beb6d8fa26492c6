import { describe, expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import type { Facilitator } from '../../../../../src/kubernetes/crd/facilitator.ts'
import { createPoolReport } from '../../../../../src/kubernetes/operator/channel-pool/status/report.ts'
import {
  conditionsOf,
  pausedConditions,
} from '../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import { createFacilitatorReport } from '../../../../../src/kubernetes/operator/facilitator/status/report.ts'
import { statusOf } from '../../../../../src/kubernetes/operator/facilitator/status/status.ts'
import type { ReporterDeps } from '../../../../../src/kubernetes/operator/reporting/report.ts'
import type { EventFacts } from '../../../../../src/kubernetes/runtime/events/events.ts'
import type {
  Condition,
  Observation,
} from '../../../../../src/kubernetes/runtime/objects/conditions.ts'
import { healthyPool, poolStates } from '../channel-pool/status/pool-states.ts'
import { facilitatorResults } from '../facilitator/status/conditions/facilitator-results.ts'
import { conditionsPage, type State } from './conditions-page.ts'

type ReportOf = (
  deps: ReporterDeps,
) => (
  live: never,
  conditions: readonly never[],
  status: object,
  signal: AbortSignal,
) => Promise<void>

const { signal } = new AbortController()

/** Reports the conditions, and returns the status and the events that the API server gets. */
async function reported(
  reportOf: ReportOf,
  known: readonly Condition[],
  conditions: readonly Observation[],
  fields: object,
) {
  const events: EventFacts[] = []
  const written: { conditions: readonly Condition[] }[] = []
  const report = reportOf({
    statuses: {
      write: async ({ status }: { status: never }) => {
        written.push(status)
        return true
      },
    } as never,
    events: { record: (_: unknown, facts: EventFacts) => events.push(facts) } as never,
    clock: { now: () => 0, sleep: async () => undefined },
  })
  const live = { metadata: { name: 'payments', generation: 1 }, status: { conditions: known } }
  await report(live as never, conditions as readonly never[], fields, signal)
  const [status = { conditions: [] }] = written
  return { status, events: events.map(({ type, reason }) => `${type} \`${reason}\``) }
}

const reportOfFacilitator = createFacilitatorReport as unknown as ReportOf
const reportOfPool = createPoolReport as unknown as ReportOf

type FacilitatorState = keyof typeof facilitatorResults | 'it is paused'

/** What a person has to do; the operator or the cluster does the rest. */
const todos: Partial<Record<FacilitatorState, string>> = {
  'the first migration failed': 'solve what the Job ended with',
  'a later migration failed': 'read the log of the Job',
  'the database has a newer version': 'run a newer version',
  'the migration cannot have a pod': 'raise the quota',
  'a preflight pod cannot be scheduled': 'make room on a node',
  'a preflight failed': 'send XLM',
  'the same change stalled elsewhere': 'correct that one, or undo the change',
  'a rollout makes no progress': 'see why the pods of status.failingPods fail',
  'the image cannot be pulled': 'correct the image',
  'no pod starts': 'solve what the pod ended with',
  'the spec asks for no replicas': 'raise spec.replicas',
  'a secret is missing while pods serve': 'create the Secret',
  'the pool is not ready': 'send XLM',
  'the pool is too small': 'raise spec.channels of the pool',
  'the cluster lacks the Gateway API': 'install it, or use an Ingress',
  'the cluster lacks the kinds of the Prometheus operator': 'install it, or set monitoring.mode',
  'a child is refused': 'change what the cluster refuses',
  'the Service is of others': 'delete it, or rename the Facilitator',
  'the Service is of others and a secret is missing': 'create the Secret',
  'the route is of others': 'delete it, or rename the Facilitator',
  'the Secret of the sponsor has another seed': 'put the first seed back',
  'pods have been replaced since the Secret has another seed': 'put the first seed back',
  'the deletion of its pool is blocked': 'take the pool out of spec.networks',
  'its pool is gone while pods serve': 'create the pool again',
  'its pool does not exist yet': 'create the pool',
  'another pool manages the sponsor': 'delete one of the two pools',
  'no payment can be made on its terms': 'correct the field that it names',
  'no payment can be made in one of its assets': 'correct the field that it names',
  'it is paused': 'remove the annotation',
}

const healthy = facilitatorResults['everything is healthy']

async function facilitatorState(name: FacilitatorState): Promise<State> {
  const well = await reported(reportOfFacilitator, [], conditionsOf(healthy), {})
  const isPaused = name === 'it is paused'
  const result = isPaused ? healthy : facilitatorResults[name]
  const conditions = isPaused ? pausedConditions(conditionsOf(result)) : conditionsOf(result)
  const fields: Partial<Facilitator['status']> = statusOf(result)
  const { status, events } = await reported(
    reportOfFacilitator,
    well.status.conditions,
    conditions,
    fields,
  )
  const todo = todos[name]
  return { kind: 'Facilitator', name, conditions: status.conditions, status, events, todo }
}

async function poolState([name, { conditions, status: fields, todo }]: [
  string,
  (typeof poolStates)[string],
]): Promise<State> {
  const isFirst = Object.keys(fields).length === 0
  const well = await reported(reportOfPool, [], healthyPool.conditions, {})
  const { status, events } = await reported(
    reportOfPool,
    isFirst ? [] : well.status.conditions,
    conditions,
    fields satisfies Partial<NonNullable<ChannelPool['status']>>,
  )
  return { kind: 'ChannelPool', name, conditions: status.conditions, status, events, todo }
}

const names = [...Object.keys(facilitatorResults), 'it is paused'] as FacilitatorState[]
const states = await Promise.all([
  ...names.map(facilitatorState),
  ...Object.entries(poolStates).map(poolState),
])

const conditionOf = ({ conditions }: State, type: string) =>
  conditions.find((each) => each.type === type)
const reasonOf = (state: State, type: string) => {
  const { status, reason } = conditionOf(state, type) ?? {}
  return `${status} ${reason}`
}
const named = (name: string) => {
  const found = states.find((state) => state.name === name)
  if (!found) throw new Error(`no state ${name}`)
  return found
}

test('N5, N6: the page has every state as the operator reports it', async () => {
  expect(states.length).toBeGreaterThanOrEqual(40)
  const page = new URL('../../../../../docs/states.md', import.meta.url).pathname
  await expect(conditionsPage(states)).toMatchFileSnapshot(page)
})

describe.each(states.map((state) => [state.kind, state.name, state] as const))(
  'a %s when %s',
  (_kind, _name, state) => {
    test('has no sentence in two conditions', () => {
      const sentences = state.conditions.flatMap(({ message }) =>
        message.split(/(?<=[.!?])\s+(?=[A-Z])/),
      )
      expect(new Set(sentences).size).toBe(sentences.length)
      const causes = sentences.flatMap((sentence) => sentence.split(/: (?=[A-Z])/).at(-1) ?? [])
      expect(new Set(causes).size).toBe(causes.length)
    })

    test('says what to do where it is Stalled', () => {
      if (reasonOf(state, 'Stalled').startsWith('True')) expect(state.todo).toBeDefined()
    })

    test('never reconciles and stalls at once', () => {
      const both = ['Reconciling', 'Stalled'].map((type) => conditionOf(state, type)?.status)
      expect(both).not.toEqual(['True', 'True'])
    })

    test('names no condition that it does not have', () => {
      for (const { message } of state.conditions) {
        const [, type] = /: condition (\w+) (?:says|of ChannelPool)/.exec(message) ?? []
        if (type) expect(conditionOf(state, type)).toBeDefined()
      }
    })
  },
)

describe('N5: Ready is not False while payments can be made', () => {
  test.each<[string, string, string, string]>([
    [
      'the Secret of the sponsor has another seed',
      'True Serving',
      'True PreflightFailed',
      'True PreflightFailed',
    ],
    ['the deletion of its pool is blocked', 'True Serving', 'True PoolDegraded', 'False RolledOut'],
    [
      'a secret is missing while pods serve',
      'True Serving',
      'True DatabaseSecretMissing',
      'True DatabaseSecretMissing',
    ],
    [
      'its pool is gone while pods serve',
      'Unknown PoolMissing',
      'True PoolMissing',
      'True PoolMissing',
    ],
    ['its pool does not exist yet', 'False PoolMissing', 'True PoolMissing', 'True PoolMissing'],
    [
      'pods have been replaced since the Secret has another seed',
      'Unknown PoolNotReady',
      'True PoolDegraded',
      'False RolledOut',
    ],
    ['the pool is growing', 'True Serving', 'True PoolDegraded', 'False RolledOut'],
    [
      'the Secret holds another seed',
      'True SponsorChanged',
      'True SponsorChanged',
      'True SponsorChanged',
    ],
    [
      'the Secret of its sponsor is gone',
      'True SponsorSecretMissing',
      'True SponsorSecretMissing',
      'True SponsorSecretMissing',
    ],
    [
      'the Secret of its sponsor was never there',
      'False SponsorSecretMissing',
      'True SponsorSecretMissing',
      'True SponsorSecretMissing',
    ],
    [
      'its deletion waits for a Facilitator',
      'True ChannelsReady',
      'True DeletionBlocked',
      'True DeletionBlocked',
    ],
    [
      'its sponsor can pay for some channels',
      'True ChannelsMissing',
      'True SponsorShort',
      'True SponsorShort',
    ],
  ])('when %s', (name, ready, degraded, stalled) => {
    const state = named(name)
    const found = ['Ready', 'Degraded', 'Stalled'].map((type) => reasonOf(state, type))
    expect(found).toEqual([ready, degraded, stalled])
  })
})

describe('N6: Ready is not True while payments reach no pod of the Facilitator', () => {
  test.each([
    ['the Service is of others', 'False ChildNotOurs'],
    ['the Service is of others and a secret is missing', 'False ServiceMissing'],
    ['no pod serves a network that was added', 'False ReplicasNotReady'],
  ])('when %s', (name, ready) => {
    expect(reasonOf(named(name), 'Ready')).toBe(ready)
  })

  test('and status.url names nothing of others', () => {
    const urlOf = (name: string) => Object(named(name).status).url
    expect(urlOf('the Service is of others')).toBeUndefined()
    expect(urlOf('the route is of others')).toBe('http://payments-facilitator.shop.svc')
    expect(urlOf('everything is healthy')).toBe('http://payments-facilitator.shop.svc')
  })
})

test('Ready is False where no asset and scheme can be paid, and True where one can', () => {
  const none = named('no payment can be made on its terms')
  const one = named('no payment can be made in one of its assets')
  expect(reasonOf(none, 'Ready')).toBe('False TermsUnpayable')
  expect(reasonOf(one, 'Ready')).toBe('True Serving')
  for (const [state, reason] of [
    [none, 'TermsUnpayable'],
    [one, 'TermsInvalid'],
  ] as const) {
    expect(reasonOf(state, 'Degraded')).toBe(`True ${reason}`)
    expect(reasonOf(state, 'TermsPayable')).toBe(`False ${reason}`)
    expect(reasonOf(state, 'Stalled')).toBe('False RolledOut')
    expect(state.events).toEqual([`Warning \`${reason}\``])
  }
})

test('N1: a held rollout is Stalled and Degraded, and has an event and a column', () => {
  const held = named('the same change stalled elsewhere')
  expect(reasonOf(held, 'Ready')).toBe('True Serving')
  for (const type of ['Degraded', 'Stalled']) expect(reasonOf(held, type)).toBe('True RolloutHeld')
  expect(reasonOf(held, 'Progressing')).toBe('False RolloutHeld')
  expect(held.events).toEqual(['Warning `RolloutHeld`'])
  expect(named('the rollout waits for others').events).toEqual(['Normal `RolloutWaiting`'])
})
