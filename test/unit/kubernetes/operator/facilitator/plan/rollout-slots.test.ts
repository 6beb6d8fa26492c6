import { describe, expect, test } from 'vitest'
import { childAnnotations } from '../../../../../../src/kubernetes/crd/names/marks.ts'
import type { ObservedFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/observe/observe.ts'
import { planFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import { RolloutSlots } from '../../../../../../src/kubernetes/operator/facilitator/plan/rollout-slots.ts'
import { render } from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import { FakeClock } from '../../../../../support/fake-clock.ts'
import { desiredWith } from '../builders.ts'
import { live, observedWith, poolWithStatus, rolledOut } from '../results.ts'

const otherImage = 'registry.example/stellar-x402:1.1.0'

const exists = () => true
const clock = new FakeClock()
const MINUTE_MS = 60_000
const NOW = Date.parse('2026-01-01T12:00:00Z')

interface Outdated {
  readonly generation?: number
  readonly namespace?: string
  readonly spec?: Json
  readonly now?: number
}

/** A Facilitator whose pods run the image of an earlier operator. */
function outdated(
  uid: string,
  { generation = 1, namespace = 'shop', spec = {}, now = NOW }: Outdated = {},
): ObservedFacilitator {
  const observed = observedWith({ spec })
  const metadata = { ...observed.facilitator.metadata, uid, generation, namespace }
  const facilitator = { ...observed.facilitator, metadata, status: { observedGeneration: 1 } }
  const [deployment] = render({
    ...desiredWith(spec, { pools: [poolWithStatus()] }),
    facilitator,
  }).rollouts
  const found = deployment && live(deployment.deployment, facilitator, { status: rolledOut(2) })
  return {
    ...observed,
    now,
    facilitator,
    find: (kind) => (kind === 'Deployment' ? found : undefined),
  }
}

/** The plan once the database is migrated for another image. */
function planOf(observed: ObservedFacilitator, reference = otherImage) {
  const image = { reference, pullPolicy: 'IfNotPresent' } as const
  const desired = {
    ...desiredWith({}, { pools: [poolWithStatus()] }),
    facilitator: observed.facilitator,
    image,
  }
  const rendered = render(desired)
  const { rollouts } = rendered
  return { ...planFacilitator(observed, rendered), rollouts, replacing: rollouts }
}

const withDeployment = (observed: ObservedFacilitator, status: object): ObservedFacilitator => ({
  ...observed,
  find: (kind, key) => {
    const found = observed.find(kind, key)
    return found && ({ ...found, status } as typeof found)
  },
})

const sameAsBefore = ({ facilitator }: ObservedFacilitator) =>
  render({ ...desiredWith({}, { pools: [poolWithStatus()] }), facilitator }).rollouts

const failed = { state: 'Failed', finishedAt: undefined } as const

/** The same Facilitator after its Secret changed. */
function withOtherSecret(observed: ObservedFacilitator): ObservedFacilitator {
  return {
    ...observed,
    find: (kind, key) => {
      const found = structuredClone(observed.find(kind, key))
      const template = Object(found?.spec).template
      if (template) template.metadata.annotations[childAnnotations.secretHash] = 'before'
      return found
    },
  }
}
/** The same Facilitator with pods of another image. */
const withOtherImage = (observed: ObservedFacilitator): ObservedFacilitator => ({
  ...observed,
  find: (kind, key) => {
    const found = structuredClone(observed.find(kind, key))
    for (const container of Object(found?.spec).template?.spec.containers ?? []) {
      container.image = otherImage
    }
    return found
  },
})
const sameImage = 'registry.example/stellar-x402:1.0.0'

/** Its pods run what they should. */
function complete(slots: RolloutSlots, observed: ObservedFacilitator): void {
  slots.admit({ ...planOf(observed), rollouts: sameAsBefore(observed), replacing: [] }, observed)
}
const isHeld = (slots: RolloutSlots, observed: ObservedFacilitator) =>
  slots.admit(planOf(observed), observed).isHeld
const isHeldBySecret = (slots: RolloutSlots, observed: ObservedFacilitator) => {
  const changed = withOtherSecret(observed)
  return slots.admit(planOf(changed, sameImage), changed).isHeld
}

describe('rollouts without a change of the spec', () => {
  test('a bad image of the operator reaches one Facilitator first, then no more than the slots', () => {
    const slots = new RolloutSlots({ exists, limit: 3, clock })
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((uid) => outdated(uid))
    expect(all.map((each) => isHeld(slots, each) ?? false)).toEqual([false, ...Array(7).fill(true)])
    // It stays the first one while it waits for its Jobs and pods.
    expect(isHeld(slots, all[0]!)).toBeUndefined()
    complete(slots, all[0]!)
    const next = all.slice(1).map((each) => isHeld(slots, each) ?? false)
    expect(next).toEqual([false, false, true, true, true, true, true])
  })

  test('a stalled rollout holds the others back by its name, until it is complete', () => {
    const slots = new RolloutSlots({ exists, clock })
    const [one, other] = [outdated('a'), outdated('b')]
    slots.admit(planOf(one), one)
    slots.admit({ ...planOf(one), migration: failed }, one)
    const plan = slots.admit(planOf(other), other)
    expect(plan).toMatchObject({ isHeld: true, heldBy: 'payments', rollouts: [], check: [] })
    expect([plan.migrate, plan.remove.filter(({ kind }) => kind === 'Job')]).toEqual([
      undefined,
      [],
    ])

    const stalled = withDeployment(one, {
      ...rolledOut(2),
      updatedReplicas: 1,
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
    })
    complete(slots, stalled)
    expect(slots.admit(planOf(other), other).heldBy).toBe('payments')
    complete(slots, one)
    expect(isHeld(slots, other)).toBeUndefined()
  })

  test('a stalled one holds no other image back, nor what follows a correction of its spec', () => {
    const slots = new RolloutSlots({ exists, clock })
    const [one, other] = [outdated('a'), outdated('b')]
    slots.admit(planOf(one), one)
    slots.admit({ ...planOf(one), migration: failed }, one)
    const fixed = slots.admit(planOf(other, 'registry.example/stellar-x402:1.2.0'), other)
    expect(fixed.isHeld).toBeUndefined()
    expect(isHeld(slots, outdated('c'))).toBe(true)
    expect(isHeld(slots, outdated('a', { generation: 2 }))).toBeUndefined()
    expect(isHeld(slots, outdated('c'))).toBeUndefined()
  })

  test('a Facilitator that served nothing before holds no other back', () => {
    const slots = new RolloutSlots({ exists, clock })
    const down = withDeployment(outdated('a'), { ...rolledOut(2), readyReplicas: 0 })
    slots.admit(planOf(down), down)
    slots.admit({ ...planOf(down), migration: failed }, down)
    expect(isHeld(slots, outdated('b'))).toBeUndefined()
  })

  test('continue when the Facilitator of another is deleted', () => {
    const slots = new RolloutSlots({ exists, limit: 1, clock })
    expect(isHeld(slots, outdated('a'))).toBeUndefined()
    expect(isHeld(slots, outdated('b'))).toBe(true)
    slots.release('a')
    expect(isHeld(slots, outdated('b'))).toBeUndefined()
  })

  test('end for a Facilitator that was deleted during its pass', () => {
    const known = new Set(['a', 'b'])
    const slots = new RolloutSlots({
      exists: ({ metadata }) => known.has(metadata.uid),
      clock,
    })
    known.delete('a')
    expect(slots.admit(planOf(outdated('a')), outdated('a'))).toMatchObject({
      isHeld: true,
      check: [],
      rollouts: [],
    })
    expect(isHeld(slots, outdated('b'))).toBeUndefined()
  })

  test('wait for one that neither ends nor fails no longer than half an hour', () => {
    const slots = new RolloutSlots({ exists, clock })
    expect(isHeld(slots, outdated('a'))).toBeUndefined()
    expect(isHeld(slots, outdated('b', { now: NOW + 29 * MINUTE_MS }))).toBe(true)
    expect(isHeld(slots, outdated('b', { now: NOW + 30 * MINUTE_MS }))).toBeUndefined()
  })

  test('do not delay a new spec while it waits for its Jobs', () => {
    const slots = new RolloutSlots({ exists, clock })
    expect(isHeldBySecret(slots, outdated('a'))).toBeUndefined()
    expect(isHeldBySecret(slots, outdated('b'))).toBe(true)
    expect(isHeldBySecret(slots, outdated('b', { generation: 2 }))).toBeUndefined()
    // The first pass has reported the generation.
    expect(isHeldBySecret(slots, outdated('b'))).toBeUndefined()
    // A pause takes nothing back.
    slots.release('b')
    expect(isHeldBySecret(slots, outdated('b'))).toBeUndefined()
    slots.forget('b')
    expect(isHeldBySecret(slots, outdated('b'))).toBe(true)
  })

  test('N1: do not delay a new spec that could not be rendered at first', () => {
    const slots = new RolloutSlots({ exists, clock })
    expect(isHeldBySecret(slots, outdated('a'))).toBeUndefined()
    expect(isHeldBySecret(slots, outdated('b'))).toBe(true)
    slots.block(outdated('b', { generation: 2 }).facilitator)
    // The pass that was blocked has reported the generation; then its Secret is created.
    slots.block(outdated('b').facilitator)
    expect(isHeldBySecret(slots, outdated('b'))).toBeUndefined()
  })

  test('N1: go on under a new leader where an earlier one has let their Jobs begin', () => {
    const slots = new RolloutSlots({ exists, clock })
    const [one, other] = [outdated('a'), outdated('b')]
    slots.admit(planOf(one), one)
    slots.admit({ ...planOf(one), migration: failed }, one)
    expect(isHeld(slots, other)).toBe(true)
    const begun = { ...planOf(other), migration: { state: 'Running' } as const }
    expect(slots.admit(begun, other).isHeld).toBeUndefined()
  })

  test('N1: are not held by a change of a Secret that the Facilitator does not have', () => {
    const slots = new RolloutSlots({ exists, clock })
    const one = outdated('a')
    const changed = withOtherSecret(one)
    slots.admit(planOf(changed, sameImage), changed)
    slots.admit({ ...planOf(changed, sameImage), migration: failed }, changed)
    expect(isHeldBySecret(slots, outdated('b'))).toBe(true)
    const other = withOtherSecret(outdated('c'))
    const database = { secretRef: { name: 'own-database', key: 'url' } }
    const spec = { ...other.facilitator.spec, networks: [], database }
    const facilitator = { ...other.facilitator, spec }
    const plan = planOf(other, sameImage)
    expect(slots.admit(plan, { ...other, facilitator, pools: new Map() }).isHeld).toBeUndefined()
  })

  test('N1, N7: are woken as soon as another one ends, fails or gives up its slot', () => {
    const woken: string[] = []
    const slots = new RolloutSlots({ exists, limit: 1, wake: (key) => woken.push(key), clock })
    const [one, other] = [outdated('a'), outdated('b', { namespace: 'far' })]
    expect(isHeld(slots, one)).toBeUndefined()
    expect(isHeld(slots, other)).toBe(true)
    expect(woken).toEqual([])
    slots.admit({ ...planOf(one), migration: failed }, one)
    expect(woken).toEqual(['far/payments'])
    slots.release('a')
    expect(woken).toHaveLength(2)
    expect(isHeld(slots, other)).toBeUndefined()
    slots.release('b')
    expect(woken).toHaveLength(2)
  })

  test('do not delay a new spec', () => {
    const slots = new RolloutSlots({ exists, limit: 0, clock })
    const observed = outdated('a', { generation: 2 })
    expect(slots.admit(planOf(observed), observed).isHeld).toBeUndefined()
  })
})

describe('rollouts of other namespaces', () => {
  const of = (namespace: string, uid: string, now = NOW) => outdated(uid, { namespace, now })

  test('no failure of one namespace holds another, nor is it named there', () => {
    const slots = new RolloutSlots({ exists, clock })
    const bad = of('hostile', 'h1')
    slots.admit(planOf(bad), bad)
    slots.admit({ ...planOf(bad), migration: failed }, bad)
    expect(slots.admit(planOf(of('hostile', 'h2')), of('hostile', 'h2')).heldBy).toBe('payments')
    expect(slots.admit(planOf(of('shop', 'a')), of('shop', 'a'))).not.toHaveProperty('isHeld')
  })

  test('a stalled Deployment that a new leader finds holds its own namespace alone', () => {
    const slots = new RolloutSlots({ exists, clock })
    const bad = withDeployment(of('hostile', 'h1'), {
      ...rolledOut(2),
      updatedReplicas: 1,
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
    })
    complete(slots, bad)
    const toSame = (each: ObservedFacilitator) => {
      const found = withDeployment(each, rolledOut(2))
      return slots.admit(planOf(withOtherImage(found), sameImage), withOtherImage(found))
    }
    expect(toSame(of('hostile', 'h2')).heldBy).toBe('payments')
    expect(toSame(of('shop', 'a'))).not.toHaveProperty('isHeld')
  })

  test('a change of its own Secret holds nobody else, however many of one namespace never end', () => {
    const slots = new RolloutSlots({ exists, clock })
    const hostile = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7'].map((uid) => of('hostile', uid))
    expect(isHeldBySecret(slots, hostile[0]!)).toBeUndefined()
    complete(slots, hostile[0]!)
    const then = hostile.slice(1).map((each) => isHeldBySecret(slots, each) ?? false)
    expect(then).toEqual([false, false, false, false, false, true])
    expect(isHeldBySecret(slots, of('shop', 'a'))).toBeUndefined()
    expect(isHeld(slots, of('shop', 'b'))).toBeUndefined()
  })

  test('a new version of the operator goes to five at a time, of which one namespace has four', () => {
    const slots = new RolloutSlots({ exists, clock })
    const first = of('hostile', 'h0')
    expect(isHeld(slots, first)).toBeUndefined()
    complete(slots, first)
    const hostile = ['h1', 'h2', 'h3', 'h4', 'h5'].map((uid) => of('hostile', uid))
    expect(hostile.map((each) => isHeld(slots, each) ?? false)).toEqual([
      ...Array(4).fill(false),
      true,
    ])
    expect(isHeld(slots, of('one', 'a'))).toBeUndefined()
    expect(isHeld(slots, of('two', 'b'))).toBe(true)
    // Nobody who does not finish keeps a place.
    const later = NOW + 10 * MINUTE_MS
    expect(isHeld(slots, of('two', 'b', later))).toBeUndefined()
  })

  test('a stalled or a released rollout frees its place', () => {
    const slots = new RolloutSlots({ exists, limit: 1, clock })
    const one = of('one', 'a')
    expect(isHeld(slots, one)).toBeUndefined()
    expect(isHeld(slots, of('two', 'b'))).toBe(true)
    slots.admit({ ...planOf(one), migration: failed }, one)
    expect(isHeld(slots, of('two', 'b'))).toBeUndefined()
    expect(isHeld(slots, of('three', 'c'))).toBe(true)
    slots.release('b')
    expect(isHeld(slots, of('three', 'c'))).toBeUndefined()
  })

  test('wake nobody elsewhere, unless they free a place, and then the one that gets it', () => {
    const woken: string[] = []
    const slots = new RolloutSlots({ exists, clock, limit: 2, wake: (key) => woken.push(key) })
    expect(isHeld(slots, of('one', 'a'))).toBeUndefined()
    expect(isHeld(slots, of('two', 'b'))).toBeUndefined()
    expect(isHeld(slots, of('three', 'c'))).toBe(true)
    expect(isHeld(slots, of('four', 'd'))).toBe(true)
    // A change of its own Secret has no place.
    expect(isHeldBySecret(slots, of('hostile', 'h1'))).toBeUndefined()
    expect(isHeldBySecret(slots, of('hostile', 'h2'))).toBe(true)
    slots.release('h1')
    expect(woken).toEqual(['hostile/payments'])
    slots.release('a')
    expect(woken).toEqual(['hostile/payments', 'three/payments'])
    expect(isHeld(slots, of('three', 'c'))).toBeUndefined()
    slots.release('b')
    expect(woken.slice(2)).toEqual(['four/payments'])
  })

  test('do not wake one that was paused since, which would be in the way of the next', () => {
    const woken: string[] = []
    const slots = new RolloutSlots({ exists, clock, limit: 1, wake: (key) => woken.push(key) })
    expect(isHeld(slots, of('one', 'a'))).toBeUndefined()
    expect(isHeld(slots, of('two', 'b'))).toBe(true)
    expect(isHeld(slots, of('three', 'c'))).toBe(true)
    slots.release('b')
    slots.release('a')
    expect(woken).toEqual(['three/payments'])
  })

  test('wake no more than ten times at once and once a second, however often a tenant begins and ends them', async () => {
    const woken: string[] = []
    const own = new FakeClock()
    const slots = new RolloutSlots({ exists, clock: own, wake: (key) => woken.push(key) })
    const again = () => {
      isHeldBySecret(slots, of('hostile', 'h1'))
      isHeldBySecret(slots, of('hostile', 'h2'))
      slots.release('h1')
    }
    for (let each = 0; each < 100; each += 1) again()
    expect(woken).toHaveLength(10)
    await own.advance(1_000)
    again()
    again()
    expect(woken).toHaveLength(11)
    // Another namespace has its own.
    isHeldBySecret(slots, of('shop', 'a'))
    isHeldBySecret(slots, of('shop', 'b'))
    slots.release('a')
    expect(woken.slice(11)).toEqual(['shop/payments'])
  })
})
