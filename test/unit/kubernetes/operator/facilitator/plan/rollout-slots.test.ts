import { describe, expect, test } from 'vitest'
import type { ObservedFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/observe/observe.ts'
import { planFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import { RolloutSlots } from '../../../../../../src/kubernetes/operator/facilitator/plan/rollout-slots.ts'
import { render } from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { desiredWith } from '../builders.ts'
import { live, observedWith, poolWithStatus, rolledOut } from '../results.ts'

const otherImage = 'registry.example/stellar-x402:1.1.0'

/** A Facilitator whose pods run the image of an earlier operator. */
function outdated(uid: string, generation = 1): ObservedFacilitator {
  const observed = observedWith({})
  const metadata = { ...observed.facilitator.metadata, uid, generation }
  const facilitator = { ...observed.facilitator, metadata, status: { observedGeneration: 1 } }
  const [deployment] = render({
    ...desiredWith({}, { pools: [poolWithStatus()] }),
    facilitator,
  }).rollouts
  const found = deployment && live(deployment.deployment, facilitator, { status: rolledOut(2) })
  return { ...observed, facilitator, find: (kind) => (kind === 'Deployment' ? found : undefined) }
}

/** The plan once the database is migrated for another image. */
function planOf(observed: ObservedFacilitator, reference = otherImage) {
  const image = { reference, pullPolicy: 'IfNotPresent' } as const
  const desired = {
    ...desiredWith({}, { pools: [poolWithStatus()] }),
    facilitator: observed.facilitator,
    image,
  }
  const { rollouts } = render(desired)
  return { ...planFacilitator(observed, desired), rollouts, replacing: rollouts }
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

/** Its pods run what they should. */
function complete(slots: RolloutSlots, observed: ObservedFacilitator): void {
  slots.admit({ ...planOf(observed), rollouts: sameAsBefore(observed), replacing: [] }, observed)
}
const isHeld = (slots: RolloutSlots, observed: ObservedFacilitator) =>
  slots.admit(planOf(observed), observed).isHeld

describe('rollouts without a change of the spec', () => {
  test('a bad image of the operator reaches one Facilitator first, then no more than the slots', () => {
    const slots = new RolloutSlots(2)
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((uid) => outdated(uid))
    expect(all.map((each) => isHeld(slots, each) ?? false)).toEqual([false, ...Array(7).fill(true)])
    // It stays the first one while it waits for its Jobs and pods.
    expect(isHeld(slots, all[0]!)).toBeUndefined()
    complete(slots, all[0]!)
    const next = all.slice(1).map((each) => isHeld(slots, each) ?? false)
    expect(next).toEqual([false, false, true, true, true, true, true])
  })

  test('a stalled rollout holds the others back by its name, until it is complete', () => {
    const slots = new RolloutSlots()
    const [one, other] = [outdated('a'), outdated('b')]
    slots.admit(planOf(one), one)
    slots.admit({ ...planOf(one), migration: failed }, one)
    const plan = slots.admit(planOf(other), other)
    expect(plan).toMatchObject({ isHeld: true, heldBy: 'shop/payments', rollouts: [], check: [] })
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
    expect(slots.admit(planOf(other), other).heldBy).toBe('shop/payments')
    complete(slots, one)
    expect(isHeld(slots, other)).toBeUndefined()
  })

  test('a stalled one holds no other image back, nor what follows a correction of its spec', () => {
    const slots = new RolloutSlots()
    const [one, other] = [outdated('a'), outdated('b')]
    slots.admit(planOf(one), one)
    slots.admit({ ...planOf(one), migration: failed }, one)
    const fixed = slots.admit(planOf(other, 'registry.example/stellar-x402:1.2.0'), other)
    expect(fixed.isHeld).toBeUndefined()
    expect(isHeld(slots, outdated('c'))).toBe(true)
    expect(isHeld(slots, outdated('a', 2))).toBeUndefined()
    expect(isHeld(slots, outdated('c'))).toBeUndefined()
  })

  test('a Facilitator that served nothing before holds no other back', () => {
    const slots = new RolloutSlots()
    const down = withDeployment(outdated('a'), { ...rolledOut(2), readyReplicas: 0 })
    slots.admit(planOf(down), down)
    slots.admit({ ...planOf(down), migration: failed }, down)
    expect(isHeld(slots, outdated('b'))).toBeUndefined()
  })

  test('continue when the Facilitator of another is deleted', () => {
    const slots = new RolloutSlots(1)
    expect(isHeld(slots, outdated('a'))).toBeUndefined()
    expect(isHeld(slots, outdated('b'))).toBe(true)
    slots.release('a')
    expect(isHeld(slots, outdated('b'))).toBeUndefined()
  })

  test('do not delay a new spec', () => {
    const slots = new RolloutSlots(0)
    const observed = outdated('a', 2)
    expect(slots.admit(planOf(observed), observed).isHeld).toBeUndefined()
  })
})
