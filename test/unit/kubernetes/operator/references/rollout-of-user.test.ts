import { describe, expect, test } from 'vitest'
import type { FacilitatorReason } from '../../../../../src/kubernetes/crd/facilitator/conditions.ts'
import { troubleOf } from '../../../../../src/kubernetes/operator/references/rollout-of-user.ts'

type Status = 'True' | 'False' | 'Unknown'

const condition = (type: string, status: Status, reason: FacilitatorReason) => ({
  type,
  status,
  reason,
  message: `About ${type}.`,
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

const progressing = (status: Status, reason: FacilitatorReason) =>
  condition('Progressing', status, reason)

describe('the rollout of a Facilitator', () => {
  test.each<{ when: string; status: Status; reason: FacilitatorReason }>([
    { when: 'cannot be rendered', status: 'False', reason: 'DatabaseSecretMissing' },
    { when: 'has a database that refuses', status: 'False', reason: 'MigrationFailed' },
    { when: 'failed its preflight', status: 'False', reason: 'PreflightFailed' },
    { when: 'makes no progress', status: 'False', reason: 'ProgressDeadlineExceeded' },
    { when: 'is paused', status: 'Unknown', reason: 'Paused' },
    { when: 'is held by one that stalled', status: 'False', reason: 'RolloutHeld' },
  ])('is stuck while it $when', ({ status, reason }) => {
    const conditions = [condition('Degraded', 'True', 'PodsFailing'), progressing(status, reason)]
    expect(troubleOf({ conditions })).toEqual({
      says: `${reason}: About Progressing.`,
      isStuck: true,
    })
  })

  test.each<{ when: string; status: Status; reason: FacilitatorReason }>([
    { when: 'replaces pods', status: 'True', reason: 'RollingOut' },
    { when: 'migrates', status: 'True', reason: 'Migrating' },
    { when: 'waits for its turn', status: 'True', reason: 'RolloutWaiting' },
    { when: 'checks first', status: 'True', reason: 'PreflightRunning' },
    { when: 'has ended', status: 'False', reason: 'RolledOut' },
    { when: 'has not begun', status: 'Unknown', reason: 'NotObserved' },
  ])('is in no trouble while it $when', ({ status, reason }) => {
    const conditions = [
      progressing(status, reason),
      // Neither keeps pods from being replaced, and the second one would repeat what the pool says.
      condition('Stalled', 'True', 'RouteUnavailable'),
      condition('Degraded', 'True', 'PoolNotReady'),
    ]
    expect(troubleOf({ conditions })).toBeUndefined()
  })

  test('names pods that fail before its deadline has passed', () => {
    const conditions = [
      progressing('True', 'RollingOut'),
      condition('Degraded', 'True', 'PodsFailing'),
    ]
    expect(troubleOf({ conditions })).toEqual({
      says: 'PodsFailing: About Degraded.',
      isStuck: false,
    })
  })

  test('is unknown before the first status', () => {
    expect(troubleOf(undefined)).toBeUndefined()
    expect(troubleOf({})).toBeUndefined()
  })
})
