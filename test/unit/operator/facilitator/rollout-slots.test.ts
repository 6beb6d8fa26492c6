import { describe, expect, test } from 'vitest'
import type { ObservedFacilitator } from '../../../../src/operator/facilitator/observe.ts'
import { planFacilitator } from '../../../../src/operator/facilitator/plan.ts'
import { render } from '../../../../src/operator/facilitator/render.ts'
import { RolloutSlots } from '../../../../src/operator/facilitator/rollout-slots.ts'
import { desiredWith } from './builders.ts'
import { live, observedWith, poolWithStatus, rolledOut } from './results.ts'

const otherImage = 'registry.example/x402-stellar:1.1.0'

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
function planOf(observed: ObservedFacilitator) {
  const image = { reference: otherImage, pullPolicy: 'IfNotPresent' } as const
  const desired = {
    ...desiredWith({}, { pools: [poolWithStatus()] }),
    facilitator: observed.facilitator,
    image,
  }
  return { ...planFacilitator(observed, desired), rollouts: render(desired).rollouts }
}

const sameAsBefore = ({ facilitator }: ObservedFacilitator) =>
  render({ ...desiredWith({}, { pools: [poolWithStatus()] }), facilitator }).rollouts

describe('rollouts without a change of the spec', () => {
  test('are limited in number', () => {
    const slots = new RolloutSlots(2)
    const held = ['a', 'b', 'c', 'a'].map((uid) => {
      const observed = outdated(uid)
      return slots.admit(planOf(observed), observed).isHeld
    })
    expect(held).toEqual([undefined, undefined, true, undefined])
  })

  test('continue when another is complete or its Facilitator is deleted', () => {
    const slots = new RolloutSlots(1)
    const [one, other] = [outdated('a'), outdated('b')]
    slots.admit(planOf(one), one)
    expect(slots.admit(planOf(other), other).isHeld).toBe(true)

    // The desired Deployment equals the present one: this rollout is complete.
    slots.admit({ ...planOf(one), rollouts: sameAsBefore(one) }, one)
    expect(slots.admit(planOf(other), other).isHeld).toBeUndefined()

    const third = outdated('c')
    expect(slots.admit(planOf(third), third).isHeld).toBe(true)
    slots.release('b')
    expect(slots.admit(planOf(third), third).isHeld).toBeUndefined()
  })

  test('do not delay a new spec', () => {
    const slots = new RolloutSlots(0)
    const observed = outdated('a', 2)
    expect(slots.admit(planOf(observed), observed).isHeld).toBeUndefined()
  })
})
