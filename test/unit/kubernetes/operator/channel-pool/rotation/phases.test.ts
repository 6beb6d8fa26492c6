import { describe, expect, test } from 'vitest'
import { withinLimit } from '../../../../../../src/kubernetes/operator/channel-pool/rotation/overlay.ts'
import { podsOf } from '../../../../../../src/kubernetes/operator/channel-pool/rotation/user-facts.ts'
import type { Rotation } from '../../../../../../src/kubernetes/operator/references/rotation-state.ts'
import type { RotationPhase } from '../../../../../../src/payments/channels/rotation/phase-names.ts'
import {
  advanced,
  type RotationFacts,
} from '../../../../../../src/payments/channels/rotation/phases.ts'
import { facts, NOW, rotation } from './rotations.ts'

/** The phases that passes go through when each finds what its phase waits for. */
function phasesOf(start: Rotation, seen: Partial<RotationFacts>): readonly RotationPhase[] {
  const phases: RotationPhase[] = []
  for (let now = start; ; ) {
    phases.push(now.phase)
    const next = advanced(now, facts({ now: Date.parse(now.since) + 3_600_000, ...seen }))
    if (next.phase === now.phase) return phases
    now = next
  }
}

describe('phases of a rotation', () => {
  test('go from the check to the end, without the scheme upto', () => {
    expect(phasesOf(rotation(), {})).toEqual([
      'Checking',
      'Provisioning',
      'Moving',
      'Retiring',
      'Sweeping',
      'Done',
    ])
  })

  test('tell the pods of the new sponsor first, and keep the old seed for a while, with the scheme upto', () => {
    expect(phasesOf(rotation(), { uptoSeconds: 900 })).toEqual([
      'Checking',
      'Provisioning',
      'Introducing',
      'Moving',
      'Expiring',
      'Unmounting',
      'Retiring',
      'Sweeping',
      'Done',
    ])
  })

  test('begin with the funds in an emergency, and leave out what only a planned one waits for', () => {
    expect(phasesOf(rotation({ mode: 'Emergency' }), { uptoSeconds: 900 })).toEqual([
      'Checking',
      'Rescuing',
      'Provisioning',
      'Moving',
      'Retiring',
      'Sweeping',
      'Done',
    ])
  })

  test('leave the funds where the spec says so', () => {
    expect(phasesOf(rotation(), { keepsFunds: true }).slice(-2)).toEqual(['Retiring', 'Done'])
  })

  test('lead back to the old sponsor and leave the funds of the new one', () => {
    const back = rotation({ phase: 'Moving', aborting: true, serving: 'From' })
    expect(phasesOf(back, {})).toEqual(['Moving', 'Retiring', 'Aborted'])
    expect(phasesOf(back, { uptoSeconds: 60 })).toEqual([
      'Moving',
      'Expiring',
      'Unmounting',
      'Retiring',
      'Aborted',
    ])
  })

  test('end at once when both Secrets hold the same seed', () => {
    const next = advanced(rotation(), facts({ isSameAccount: true }))
    expect(next).toMatchObject({ phase: 'Done', serving: 'To', holdsSecrets: false })
  })
})

describe('a change of the phase', () => {
  test('raises the step and says when it was', () => {
    const next = advanced(rotation(), facts())
    expect(next).toMatchObject({
      phase: 'Provisioning',
      step: 2,
      since: '2026-01-01T00:00:01.000Z',
      holdsSecrets: true,
      serving: 'From',
    })
  })

  test('lets pods serve the new sponsor from Moving on', () => {
    const moving = advanced(rotation({ phase: 'Provisioning', step: 2 }), facts())
    expect(moving).toMatchObject({ phase: 'Moving', serving: 'To', step: 3 })
  })

  test('does not let them do so on the way back', () => {
    const retiring = advanced(rotation({ phase: 'Unmounting', aborting: true }), facts())
    expect(retiring).toMatchObject({ phase: 'Retiring', serving: 'From' })
  })
})

describe('a phase that is not over', () => {
  test.each<{ when: string; phase: RotationPhase; seen: Partial<RotationFacts>; says: string }>([
    {
      when: 'has sent nothing yet',
      phase: 'Rescuing',
      seen: { isSwept: false },
      says: 'What the old sponsor can spend goes to the new one.',
    },
    {
      when: 'lacks channels',
      phase: 'Provisioning',
      seen: { arrived: { ready: 7, desired: 8, hasAuthority: true } },
      says: '7 of 8 channels of the new sponsor are ready.',
    },
    {
      when: 'lacks the authority',
      phase: 'Provisioning',
      seen: { arrived: { ready: 8, desired: 8, hasAuthority: false } },
      says: 'The settlement authority of the new sponsor is to be added.',
    },
    {
      when: 'has pods that do not know the new sponsor',
      phase: 'Introducing',
      seen: { pods: podsOf([{ name: 'payments' }]) },
      says: 'The pods of Facilitator payments are replaced.',
    },
    {
      when: 'has channels that are gone again',
      phase: 'Introducing',
      seen: { arrived: { ready: 0, desired: 8, hasAuthority: true } },
      says: '0 of 8 channels of the new sponsor are ready.',
    },
    {
      when: 'has pods that serve the old sponsor',
      phase: 'Moving',
      seen: { pods: podsOf([{ name: 'a' }, { name: 'b' }]) },
      says: 'The pods of Facilitator a, b are replaced.',
    },
    {
      when: 'has pods that do not start',
      phase: 'Moving',
      seen: {
        pods: podsOf([
          { name: 'a' },
          { name: 'b', trouble: { says: 'PodsFailing: Pod b-1 cannot run.', isStuck: false } },
        ]),
      },
      says: 'The pods of Facilitator a, b are replaced. Of b: PodsFailing: Pod b-1 cannot run.',
    },
    {
      when: 'has a process that still serves the old sponsor',
      phase: 'Moving',
      seen: { replicas: ['pod-1'] },
      says: 'pod-1 still serves the other sponsor, by its heartbeats in the store.',
    },
    {
      when: 'has authorizations that may still come',
      phase: 'Expiring',
      seen: { uptoSeconds: 900, now: NOW + 929_000 },
      says: "What buyers signed for the other sponsor's authority can be settled for up to 900 s.",
    },
    {
      when: 'has pods with the old seed',
      phase: 'Unmounting',
      seen: { pods: podsOf([{ name: 'payments' }]) },
      says: 'The pods of Facilitator payments are replaced.',
    },
    {
      when: 'has settlements of the old sponsor',
      phase: 'Retiring',
      seen: {
        left: { accounts: 9, holders: 'settlements still use 1 channel', isEmpty: false },
      },
      says: '9 accounts to merge; settlements still use 1 channel.',
    },
    {
      when: 'has funds of the old sponsor',
      phase: 'Sweeping',
      seen: { isSwept: false },
      says: 'What the old sponsor has left goes to the new one.',
    },
  ])('$phase stays while it $when', ({ phase, seen, says }) => {
    const before = rotation({ phase, step: 4 })
    const next = advanced(before, facts(seen))
    expect(next).toMatchObject({ phase, step: 4, message: says, blocked: false })
    // The same facts again, as after a crash, change nothing more.
    expect(advanced(next, facts(seen))).toEqual(next)
  })

  test('Expiring ends once the last authorization is past', () => {
    const seen = facts({ uptoSeconds: 900, now: NOW + 930_000 })
    expect(advanced(rotation({ phase: 'Expiring' }), seen).phase).toBe('Unmounting')
  })

  test('an emergency moves on with one channel and without the authority', () => {
    const seen = facts({ arrived: { ready: 1, desired: 8, hasAuthority: false } })
    const before = rotation({ phase: 'Provisioning', mode: 'Emergency' })
    expect(advanced(before, seen).phase).toBe('Moving')
    expect(advanced({ ...before, mode: 'Planned' }, seen).phase).toBe('Provisioning')
  })

  test('says how many channels are there', () => {
    const seen = facts({ arrived: { ready: 3, desired: 8, hasAuthority: false } })
    expect(advanced(rotation({ phase: 'Provisioning' }), seen).channelsMoved).toBe('3/8')
  })

  test('waits for what this process has under way', () => {
    const next = advanced(rotation({ phase: 'Sweeping' }), facts({ waits: 'It is sent again.' }))
    expect(next).toMatchObject({ phase: 'Sweeping', message: 'It is sent again.' })
  })
})

const underWay = [
  'Checking',
  'Rescuing',
  'Provisioning',
  'Introducing',
  'Moving',
  'Expiring',
  'Unmounting',
  'Retiring',
  'Sweeping',
] as const

test.each(underWay)('%s goes no further while something is in the way', (phase) => {
  const next = advanced(rotation({ phase, step: 7 }), facts({ problem: 'Send it XLM.' }))
  expect(next).toMatchObject({ phase, step: 7, blocked: true, message: 'Send it XLM.' })
  const after = advanced(next, facts({ now: NOW + 3_600_000 }))
  expect(after).toMatchObject({ step: 8, blocked: false })
})

describe('a Facilitator whose pods wait for an administrator', () => {
  const stuck = (name: string) => ({
    name,
    trouble: { says: `DatabaseSecretMissing: There is no Secret of ${name}.`, isStuck: true },
  })

  test.each(['Introducing', 'Moving', 'Unmounting'] as const)(
    'blocks %s in either direction',
    (phase) => {
      for (const aborting of [false, true]) {
        const before = rotation({ phase, aborting, step: 4 })
        const next = advanced(before, facts({ pods: podsOf([{ name: 'a' }, stuck('b')]) }))
        expect(next).toMatchObject({
          phase,
          step: 4,
          blocked: true,
          message:
            'The pods of Facilitator b are not replaced: its rollout has stopped. It says DatabaseSecretMissing: There is no Secret of b.',
        })
        const rolls = advanced(next, facts({ pods: podsOf([{ name: 'b' }]) }))
        expect(rolls).toMatchObject({ phase, blocked: false })
      }
    },
  )

  test('is named with the others', () => {
    const seen = facts({ pods: podsOf(['a', 'b', 'c'].map(stuck)) })
    expect(advanced(rotation({ phase: 'Moving' }), seen).message).toBe(
      'The pods of Facilitator a are not replaced: its rollout has stopped. Neither are those of b, c. It says DatabaseSecretMissing: There is no Secret of a.',
    )
  })

  test('keeps no phase that does not wait for pods', () => {
    const seen = facts({ pods: podsOf([stuck('a')]) })
    for (const phase of ['Provisioning', 'Retiring', 'Sweeping'] as const) {
      expect(advanced(rotation({ phase }), seen).step).toBe(2)
    }
  })

  test('has a message that a status can hold', () => {
    const trouble = { says: 'x'.repeat(2_000), isStuck: true }
    const seen = facts({ pods: podsOf([{ name: 'a', trouble }]) })
    const moving = withinLimit(advanced(rotation({ phase: 'Moving' }), seen))
    expect(moving.message).toHaveLength(1_024)
  })
})

test.each(['Done', 'Aborted'] as const)('%s is an end', (phase) => {
  expect(advanced(rotation({ phase }), facts()).phase).toBe(phase)
})

test('the end of an emergency says what was lost', () => {
  const before = rotation({ phase: 'Sweeping', mode: 'Emergency', lostXlm: '12.5' })
  expect(advanced(before, facts()).message).toContain('12.5 XLM did not reach the new one')
})
