import { describe, expect, test } from 'vitest'
import { attemptOf } from '../../../../../../src/kubernetes/operator/facilitator/plan/gate-jobs.ts'
import { planFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import { render } from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import { desiredWith, poolWith } from '../builders.ts'
import {
  existingObjects,
  jobDone,
  jobFailed,
  live,
  type ObservedParts,
  observedWith,
  poolWithStatus,
  rolledOut,
} from '../results.ts'

const otherSeed = { 'testnet-sponsor/secret': `S${'C'.repeat(55)}` }

/** The plan for a Facilitator whose pods serve with the seed before. */
function planWith({
  secrets = otherSeed,
  spec,
  attempt = 1,
  job,
  pools = [poolWithStatus()],
  ...parts
}: Omit<ObservedParts, 'secrets' | 'job'> & {
  readonly secrets?: Readonly<Record<string, string>>
  readonly attempt?: number
  /** Status of the preflight Job, if there is one. */
  readonly job?: Json
} = {}) {
  const desired = desiredWith(spec, { secrets, pools })
  const rendered = render(desired)
  const preflight = attemptOf(rendered.preflight, attempt)
  const before = parts.objects ?? existingObjects({ deployment: parts.deployment })
  const objects = job ? [...before, live(preflight, desired.facilitator, { status: job })] : before
  const observed = observedWith({ ...parts, pools, secrets, objects, ...(spec && { spec }) })
  return planFacilitator(observed, rendered)
}
const parts = ({ rollouts }: ReturnType<typeof planWith>) => rollouts.map(({ part }) => part.name)
const kinds = (objects: readonly { readonly kind: string }[]) => objects.map(({ kind }) => kind)

describe('the preflight of pods', () => {
  test('a wrong seed does not replace pods that serve', () => {
    const begun = planWith()
    expect(kinds(begun.check)).toEqual(['ConfigMap', 'Job'])
    expect(parts(begun)).toEqual([])
    expect(parts(planWith({ job: {} }))).toEqual([])
    expect(parts(planWith({ job: jobFailed }))).toEqual([])
    expect(parts(planWith({ job: jobDone }))).toEqual(['Facilitator'])
  })

  test('where no pod serves there is no Job', () => {
    const plan = planWith({ deployment: { ...rolledOut(2), readyReplicas: 0 } })
    expect(plan.preflight).toBeUndefined()
    expect(parts(plan)).toEqual(['Facilitator'])
    const first = planWith({ objects: existingObjects({}).filter(({ kind }) => kind === 'Job') })
    expect([first.preflight, parts(first)]).toEqual([undefined, ['Facilitator']])
  })

  test('a pool that grows, replicas and routes need no Job; another RPC does', () => {
    const grown = poolWith({ channels: 40 }, { status: poolWithStatus().status as Json })
    expect(planWith({ secrets: {}, pools: [grown] }).preflight).toBeUndefined()
    expect(planWith({ secrets: {}, spec: { replicas: 4 } }).preflight).toBeUndefined()
    const dead = poolWith(
      { rpc: { urls: ['http://127.0.0.1:9'], allowHttp: true } },
      { status: poolWithStatus().status as Json },
    )
    expect(planWith({ secrets: {}, pools: [dead] }).preflight).toMatchObject({
      create: { kind: 'Job' },
    })
  })

  test('settings that it does not check need none: the pods that serve have shown the rest', () => {
    const networks = [{ channelPool: 'testnet', sponsor: { reserveXlm: '7' } }]
    for (const spec of [
      { serviceFeePerSettlementUsd: '0.002' },
      { rateLimitPerMinute: 7 },
      { logLevel: 'Debug' },
      { networks },
    ]) {
      const plan = planWith({ secrets: {}, spec })
      expect([plan.preflight, parts(plan)]).toEqual([undefined, ['Facilitator']])
    }
    const tracing = { endpoint: 'http://collector.example:4318' }
    expect(planWith({ secrets: {}, spec: { tracing } }).preflight).toMatchObject({
      create: { kind: 'Job' },
    })
  })

  test.each([
    { fees: { maxTxFeeStroops: '200001' } },
    { fees: { inclusion: { floorStroops: '200' } } },
    { timeouts: { max: '11s' } },
    { expirationMarginLedgers: 5 },
    { assets: [{ contract: `C${'A'.repeat(55)}`, symbol: 'OWN', decimals: 7 }] },
    { upto: { contract: `C${'A'.repeat(55)}` } },
  ])('N2: settings on which it depends whether anything can be paid need one: %j', (changed) => {
    const spec = { networks: [{ channelPool: 'testnet', ...changed }] }
    const plan = planWith({ secrets: {}, spec })
    expect(plan.preflight).toMatchObject({ create: { kind: 'Job' } })
    expect(parts(plan)).toEqual([])
  })

  test('its policy exists only while it is needed', () => {
    const policies = ({ independent }: ReturnType<typeof planWith>) =>
      independent.flatMap(({ kind, metadata }) => (kind === 'NetworkPolicy' ? [metadata.name] : []))
    expect(policies(planWith())).toContain('payments-preflight')
    expect(policies(planWith({ secrets: {} }))).not.toContain('payments-preflight')
    expect(policies(planWith({ job: jobDone }))).toContain('payments-preflight')
  })

  test('other parts do not wait, and the pods that serve are scaled meanwhile', () => {
    const spec = { replicas: 5, catalog: { enabled: true } }
    const plan = planWith({ spec })
    expect(parts(plan)).toEqual(['Catalog'])
    expect(plan.scale).toMatchObject([{ replicas: 5 }])
  })

  test('an administrator can skip it', () => {
    const skipped = { annotations: { 'x402.svc.dev/skip-preflight': 'true' } }
    expect(parts(planWith(skipped))).toEqual(['Facilitator'])
  })

  test('an image that is older than the command is not held up by it', () => {
    const failing = [
      { name: 'p', component: 'preflight', reason: 'Error', message: 'svc --help', exitCode: 64 },
    ]
    expect(parts(planWith({ job: jobFailed, failing }))).toEqual(['Facilitator'])
  })

  test('a failed one waits longer each time, and keeps its logs until the next one has begun', () => {
    const minutes = [1, 2, 3, 4, 5, 9].map((attempt) => {
      const { retryMs = 0, check, remove } = planWith({ job: jobFailed, attempt })
      expect([check, remove]).toEqual([[], []])
      return (retryMs + 30_000) / 60_000
    })
    expect(minutes).toEqual([2, 4, 8, 16, 30, 30])

    const ended = { type: 'Failed', status: 'True', lastTransitionTime: '2026-01-01T11:00:00Z' }
    const due = planWith({ job: { conditions: [ended] } })
    expect(due.check.map(({ metadata }) => metadata.name)).toEqual([
      expect.any(String),
      `${due.preflight?.name}-2`,
    ])
    expect(due.remove).toEqual([])
  })

  test('a failed one is tried again as soon as its pool is Ready', () => {
    const ready = (lastTransitionTime: string) => {
      const pool = poolWithStatus()
      const conditions = pool.status?.conditions?.map((each) => ({ ...each, lastTransitionTime }))
      return [poolWith({}, { status: { ...pool.status, conditions } })]
    }
    const later = planWith({ job: jobFailed, pools: ready('2026-01-01T11:59:40Z') })
    expect(kinds(later.check)).toEqual(['ConfigMap', 'Job'])
    const before = planWith({ job: jobFailed, pools: ready('2026-01-01T11:59:20Z') })
    expect(before.check).toEqual([])
  })

  test('is gone once the pods have its configuration', () => {
    const desired = desiredWith({}, { secrets: otherSeed, pools: [poolWithStatus()] })
    const { preflight, rollouts } = render(desired)
    const [rollout] = rollouts
    const objects = [
      ...existingObjects({}).filter(({ kind }) => kind !== 'Deployment'),
      live(rollout!.deployment, desired.facilitator, { status: rolledOut(2) }),
      live(preflight, desired.facilitator, { status: jobDone }),
    ]
    const plan = planWith({ objects })
    expect(plan.preflight).toBeUndefined()
    expect(plan.remove.map(({ metadata }) => metadata.name)).toEqual([preflight.metadata.name])
  })

  test('a pool that the spec empties need not have channels', () => {
    const argsOf = (spec: Json) => {
      const { preflight } = render(desiredWith({}, { pools: [poolWith(spec)] }))
      return Object(preflight['spec']).template.spec.containers[0].args
    }
    expect(argsOf({})).toEqual(['preflight'])
    expect(argsOf({ channels: 0 })).toEqual(['preflight', '--without-channels', 'stellar:testnet'])
  })
})
