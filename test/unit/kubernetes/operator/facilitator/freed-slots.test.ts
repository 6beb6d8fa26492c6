import { expect, test } from 'vitest'
import type { Facilitator } from '../../../../../src/kubernetes/crd/facilitator.ts'
import { RolloutSlots } from '../../../../../src/kubernetes/operator/facilitator/plan/rollout-slots.ts'
import {
  createReconcile,
  type ReconcileDeps,
} from '../../../../../src/kubernetes/operator/facilitator/reconcile.ts'
import { SharedResources } from '../../../../../src/kubernetes/operator/store-access/shared-resources.ts'
import { OwnWrites } from '../../../../../src/kubernetes/runtime/cache/own-writes.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { silentLogger } from '../../runtime/support/silence.ts'
import { facilitatorWith, testDigest } from './builders.ts'

const request = {
  key: 'shop/payments',
  name: { namespace: 'shop', name: 'payments' },
  signal: new AbortController().signal,
  failures: 0,
  logger: silentLogger,
}

/** Passes over what the cache has at that time. There is no ChannelPool, so each is blocked. */
function passes() {
  const released: string[] = []
  const slots = new RolloutSlots({ exists: () => true, clock: new FakeClock() })
  slots.release = (uid) => {
    released.push(uid)
  }
  const closed: string[] = []
  const stores = new SharedResources(async (key: string) => ({
    [Symbol.asyncDispose]: async () => {
      closed.push(key)
    },
  }))
  let cached: Facilitator | undefined
  const reconcile = createReconcile({
    facilitators: { get: () => cached },
    ownWrites: new OwnWrites(),
    slots,
    reports: { stores },
    random: () => 0,
    report: async () => undefined,
    observe: {
      pools: { get: () => undefined },
      children: { ownedBy: () => [], find: () => undefined, serves: () => true },
      pods: { by: () => [] },
      secrets: { read: async () => undefined, isWatched: () => true },
      readDigest: async () => testDigest,
      facilitatorImage: 'registry.example/stellar-x402:1.0.0',
      clock: { now: () => 0 },
    },
  } as unknown as ReconcileDeps)
  const pass = (facilitator: Facilitator | undefined) => {
    cached = facilitator
    return reconcile(request)
  }
  return { pass, released, stores, closed }
}

const one = facilitatorWith({}, { uid: 'one' })

test.each([
  ['is blocked', one],
  [
    'is paused',
    facilitatorWith({}, { uid: 'one', annotations: { 'x402.svc.dev/paused': 'true' } }),
  ],
  [
    'is being deleted',
    facilitatorWith({}, { uid: 'one', deletionTimestamp: '2026-01-01T00:00:00Z' }),
  ],
])('a Facilitator that %s holds no slot', async (_, facilitator) => {
  const { pass, released } = passes()
  await pass(facilitator)
  expect(released).toEqual(['one'])
})

test.each([
  ['is gone', undefined],
  ['has a successor of its name', facilitatorWith({}, { uid: 'other' })],
])('what the last pass of one took is freed once it %s', async (_, successor) => {
  const { pass, released, stores, closed } = passes()
  await pass(one)
  // The informer saw the deletion before the pass came to this.
  await stores.acquire(one.metadata, 'postgres://db')
  released.length = 0
  await pass(successor)
  expect(released[0]).toBe('one')
  expect(closed).toEqual(['postgres://db'])
})
