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
} from '../channel-pool/rotation/rotations.ts'

/** A pool whose spec names the new Secret, as its status says. */
const poolIn = (changes: Partial<Rotation>) => {
  const status = rotation(changes)
  const secretRef = status.serving === 'To' ? secretB : secretA
  return poolNaming(secretB, {
    status: { sponsor: { address: addressA, secretRef }, rotation: status },
  })
}

describe('podSponsors', () => {
  test.each<{ phase: RotationPhase; changes?: Partial<Rotation>; seeds: object }>([
    { phase: 'Checking', seeds: { current: secretA } },
    { phase: 'Provisioning', seeds: { current: secretA } },
    { phase: 'Introducing', seeds: { current: secretA, next: secretB } },
    { phase: 'Moving', changes: { serving: 'To' }, seeds: { current: secretB, previous: secretA } },
    {
      phase: 'Expiring',
      changes: { serving: 'To' },
      seeds: { current: secretB, previous: secretA },
    },
    { phase: 'Unmounting', changes: { serving: 'To' }, seeds: { current: secretB } },
    { phase: 'Retiring', changes: { serving: 'To' }, seeds: { current: secretB } },
    { phase: 'Sweeping', changes: { serving: 'To' }, seeds: { current: secretB } },
    { phase: 'Done', changes: { serving: 'To' }, seeds: { current: secretB } },
    {
      phase: 'Moving',
      changes: { aborting: true },
      seeds: { current: secretA, previous: secretB },
    },
    {
      phase: 'Expiring',
      changes: { aborting: true },
      seeds: { current: secretA, previous: secretB },
    },
    { phase: 'Unmounting', changes: { aborting: true }, seeds: { current: secretA } },
    { phase: 'Aborted', changes: { aborting: true }, seeds: { current: secretA } },
    { phase: 'Moving', changes: { serving: 'To', mode: 'Emergency' }, seeds: { current: secretB } },
    { phase: 'Rescuing', changes: { mode: 'Emergency' }, seeds: { current: secretA } },
  ])('with upto, pods mount $seeds in $phase $changes', ({ phase, changes, seeds }) => {
    expect(podSponsors(poolIn({ phase, ...changes }), true)).toEqual(seeds)
  })

  test('without upto, pods never mount a second seed', () => {
    for (const phase of ['Introducing', 'Moving', 'Expiring'] as const) {
      expect(podSponsors(poolIn({ phase }), false)).toEqual({ current: secretA })
    }
  })

  test('without a status, the spec says what pods mount', () => {
    expect(podSponsors(poolNaming(secretB), true)).toEqual({ current: secretB })
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
