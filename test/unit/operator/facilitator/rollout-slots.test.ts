import { describe, expect, test } from 'vitest'
import { planFacilitator } from '../../../../src/operator/facilitator/plan.ts'
import { render } from '../../../../src/operator/facilitator/render.ts'
import { RolloutSlots } from '../../../../src/operator/facilitator/rollout-slots.ts'
import type { FacilitatorView } from '../../../../src/operator/facilitator/view.ts'
import { wantedWith } from './builders.ts'
import { live, poolThat, rolledOut, viewWith } from './views.ts'

const elsewhere = 'registry.example/x402-stellar:1.1.0'

/** A Facilitator whose pods are those of an operator before, and whose database is migrated. */
function oldOne(uid: string, generation = 1): FacilitatorView {
  const view = viewWith({})
  const metadata = { ...view.facilitator.metadata, uid, generation }
  const facilitator = { ...view.facilitator, metadata, status: { observedGeneration: 1 } }
  const [deployment] = render({ ...wantedWith({}, { pools: [poolThat()] }), facilitator }).rollouts
  const found = deployment && live(deployment.deployment, facilitator, { status: rolledOut(2) })
  return { ...view, facilitator, find: (kind) => (kind === 'Deployment' ? found : undefined) }
}

/** As after its migration to another image. */
function planOf(view: FacilitatorView) {
  const image = { reference: elsewhere, pullPolicy: 'IfNotPresent' } as const
  const wanted = {
    ...wantedWith({}, { pools: [poolThat()] }),
    facilitator: view.facilitator,
    image,
  }
  return { ...planFacilitator(view, wanted), rollouts: render(wanted).rollouts }
}

const sameAsBefore = ({ facilitator }: FacilitatorView) =>
  render({ ...wantedWith({}, { pools: [poolThat()] }), facilitator }).rollouts

describe('rollouts that come from outside', () => {
  test('are few at a time', () => {
    const slots = new RolloutSlots(2)
    const held = ['a', 'b', 'c', 'a'].map((uid) => {
      const view = oldOne(uid)
      return slots.admit(planOf(view), view).isHeld
    })
    expect(held).toEqual([undefined, undefined, true, undefined])
  })

  test('go on when one is done, and when one is gone', () => {
    const slots = new RolloutSlots(1)
    const [one, other] = [oldOne('a'), oldOne('b')]
    slots.admit(planOf(one), one)
    expect(slots.admit(planOf(other), other).isHeld).toBe(true)

    // As it was before, which is to say: there is nothing to roll out.
    slots.admit({ ...planOf(one), rollouts: sameAsBefore(one) }, one)
    expect(slots.admit(planOf(other), other).isHeld).toBeUndefined()

    const third = oldOne('c')
    expect(slots.admit(planOf(third), third).isHeld).toBe(true)
    slots.release('b')
    expect(slots.admit(planOf(third), third).isHeld).toBeUndefined()
  })

  test('do not hold up a new spec', () => {
    const slots = new RolloutSlots(0)
    const view = oldOne('a', 2)
    expect(slots.admit(planOf(view), view).isHeld).toBeUndefined()
  })
})
