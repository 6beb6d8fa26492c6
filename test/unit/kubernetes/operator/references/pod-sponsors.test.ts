import { describe, expect, test } from 'vitest'
import { podsToWaitFor } from '../../../../../src/kubernetes/operator/channel-pool/rotation/user-facts.ts'
import { podSponsors } from '../../../../../src/kubernetes/operator/references/pod-sponsors.ts'
import type { PoolUser } from '../../../../../src/kubernetes/operator/references/pool-users.ts'
import type { Rotation } from '../../../../../src/kubernetes/operator/references/rotation-state.ts'
import type { RotationPhase } from '../../../../../src/payments/channels/rotation/phase-names.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import {
  addressA,
  poolNaming,
  rotation,
  secretA,
  secretB,
  sourceA,
  sourceB,
} from '../channel-pool/rotation/rotations.ts'

/** A pool whose spec names the new Secret, as its status says. */
const poolIn = (changes: Partial<Rotation>) => {
  const status = rotation(changes)
  const source = status.serving === 'To' ? sourceB : sourceA
  return poolNaming(sourceB, {
    status: { sponsor: { address: addressA, source }, rotation: status },
  })
}

describe('podSponsors', () => {
  test.each<{ phase: RotationPhase; changes?: Partial<Rotation>; seeds: object }>([
    { phase: 'Checking', seeds: { current: sourceA } },
    { phase: 'Provisioning', seeds: { current: sourceA } },
    { phase: 'Introducing', seeds: { current: sourceA, next: sourceB } },
    { phase: 'Moving', changes: { serving: 'To' }, seeds: { current: sourceB, previous: sourceA } },
    {
      phase: 'Expiring',
      changes: { serving: 'To' },
      seeds: { current: sourceB, previous: sourceA },
    },
    { phase: 'Unmounting', changes: { serving: 'To' }, seeds: { current: sourceB } },
    { phase: 'Retiring', changes: { serving: 'To' }, seeds: { current: sourceB } },
    { phase: 'Sweeping', changes: { serving: 'To' }, seeds: { current: sourceB } },
    { phase: 'Done', changes: { serving: 'To' }, seeds: { current: sourceB } },
    {
      phase: 'Moving',
      changes: { aborting: true },
      seeds: { current: sourceA, previous: sourceB },
    },
    {
      phase: 'Expiring',
      changes: { aborting: true },
      seeds: { current: sourceA, previous: sourceB },
    },
    { phase: 'Unmounting', changes: { aborting: true }, seeds: { current: sourceA } },
    { phase: 'Aborted', changes: { aborting: true }, seeds: { current: sourceA } },
    { phase: 'Moving', changes: { serving: 'To', mode: 'Emergency' }, seeds: { current: sourceB } },
    { phase: 'Rescuing', changes: { mode: 'Emergency' }, seeds: { current: sourceA } },
  ])('with upto, pods mount $seeds in $phase $changes', ({ phase, changes, seeds }) => {
    expect(podSponsors(poolIn({ phase, ...changes }), true)).toEqual(seeds)
  })

  test('without upto, pods never mount a second seed', () => {
    for (const phase of ['Introducing', 'Moving', 'Expiring'] as const) {
      expect(podSponsors(poolIn({ phase }), false)).toEqual({ current: sourceA })
    }
  })

  test('without a status, the spec says what pods mount', () => {
    expect(podSponsors(poolNaming(sourceB), true)).toEqual({ current: sourceB })
  })
})

describe('podsToWaitFor', () => {
  const pool = poolIn({ phase: 'Moving', serving: 'To', step: 5 })
  const user = (changes: Partial<PoolUser>): PoolUser => ({
    name: 'payments',
    replicas: 2,
    requires: asStroops(1n),
    requiresBy: 'sponsor.reserveXlm',
    ...changes,
  })
  const sponsors = { channelPool: 'testnet', step: 5, current: secretB }

  test('counts a Facilitator whose pods all mount what the step says', () => {
    expect(podsToWaitFor(pool, [user({ sponsors })])).toBeUndefined()
    const upto = { uptoSeconds: 60, sponsors: { ...sponsors, previous: secretA } }
    expect(podsToWaitFor(pool, [user(upto)])).toBeUndefined()
  })

  test.each<{ when: string; changes: Partial<PoolUser> }>([
    { when: 'is rolling out', changes: {} },
    { when: 'mounts the old seed', changes: { sponsors: { ...sponsors, current: secretA } } },
    { when: 'reported for an earlier step', changes: { sponsors: { ...sponsors, step: 4 } } },
    { when: 'lacks the old seed for upto', changes: { uptoSeconds: 60, sponsors } },
    { when: 'still has the old seed', changes: { sponsors: { ...sponsors, previous: secretA } } },
  ])('waits for one that $when', ({ changes }) => {
    expect(podsToWaitFor(pool, [user(changes)])?.waits).toContain('payments')
  })
})
