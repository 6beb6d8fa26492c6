import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Reconciler } from '../../../../src/payments/engine/follow/reconciler.ts'
import type { ServedNetwork } from '../../../../src/payments/engine/network/served-network.ts'
import { defaultTimings } from '../../../../src/payments/engine/timings.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import { addChannels, network, submit } from './builders.ts'

/** How many settlements one round takes over from a process that died. */
let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
})
afterEach(() => emptyTables(store))
afterAll(() => store.close())

const SETTLEMENTS = 120

/** Follows nothing: it notes the hashes of what it is to follow. */
function startRound(alreadyFollowed = 0, restoreLost = async () => {}) {
  const hashes = new Set<string>()
  const reconciler = new Reconciler({
    networks: new Map([[network, { id: network } as ServedNetwork]]),
    store,
    follower: {
      follow: async (_, { recorded }) => {
        hashes.add(recorded.txHash)
        return undefined
      },
      isFollowing: (hash) => hashes.has(hash),
      restoreLost,
      get followed() {
        return alreadyFollowed + hashes.size
      },
    },
    clock: systemClock,
    timings: defaultTimings,
    everyMs: 5_000,
    metrics: createMetrics(),
    log: createLogger({ level: 'silent' }),
    signal: new AbortController().signal,
  })
  return { hashes, ended: reconciler.once() }
}

async function settlementsOfADeadProcess(): Promise<void> {
  await addChannels(store, SETTLEMENTS)
  for (let nonce = 0; nonce < SETTLEMENTS; nonce++) await submit(store, String(nonce))
  const past = sql<Date>`clock_timestamp() - interval '1 second'`
  await store.db.updateTable('settlements').set({ due_at: past }).execute()
}

describe('a round of the reconciler', () => {
  it('takes over everything that is due, however much it is', async () => {
    await settlementsOfADeadProcess()
    const { hashes, ended } = startRound()
    await ended
    expect(hashes.size).toBe(SETTLEMENTS)
  })

  it('leaves to others what it cannot follow', async () => {
    await settlementsOfADeadProcess()
    const full = startRound(1_000)
    const almostFull = startRound(999)
    await Promise.all([full.ended, almostFull.ended])
    expect([full.hashes.size, almostFull.hashes.size]).toEqual([0, 50])
  })

  it('takes over what is due although lost settlements cannot be restored', async () => {
    await settlementsOfADeadProcess()
    const { hashes, ended } = startRound(0, () => Promise.reject(new Error('no server start')))
    await ended
    expect(hashes.size).toBe(SETTLEMENTS)
  })
})
