import { expect, test } from 'vitest'
import type { ServedNetwork } from '../../../../src/payments/engine/network/served-network.ts'
import { HealthMonitor } from '../../../../src/payments/health/health-monitor.ts'
import type { Db } from '../../../../src/platform/database/schema.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

test('refreshes what payments read in every poll but the first, also after a poll that failed', async () => {
  const clock = new FakeClock()
  const stop = new AbortController()
  const errors: unknown[] = []
  let refreshes = 0
  let polls = 0
  // Only the parts that a poll reads: a whole served network needs a ledger and a store.
  const network = {
    id: 'stellar:testnet',
    sponsor: { address: 'GSPONSOR' },
    minSponsorBalance: 0n,
    watchedContracts: [],
    rpc: {},
    channels: { onLedger: 0, addresses: [] },
    policy: { assets: new Map() },
    time: { secondsPerLedger: 5 },
    counters: { leaseWaits: { p95: () => undefined } },
    monitor: {
      tip: { latest: undefined, misses: 0 },
      balance: { kind: 'missing' },
      refresh: async () => {
        refreshes += 1
      },
    },
  } as unknown as ServedNetwork
  const monitor = new HealthMonitor({
    networks: [network],
    db: {} as Db,
    version: 'test',
    clock,
    everyMs: 15_000,
    readWithinMs: 1_000,
    signal: stop.signal,
    onError: (error, of) => {
      if (!of) errors.push(error)
    },
    onPolled: () => {
      polls += 1
      if (polls === 1) throw new Error('no gauges')
    },
  })
  monitor.start()
  await clock.advance(0)
  expect({ polls, refreshes, errors }).toEqual({
    polls: 1,
    refreshes: 0,
    errors: [new Error('no gauges')],
  })
  await clock.advance(30_000)
  expect({ polls, refreshes }).toEqual({ polls: 3, refreshes: 2 })
  stop.abort()
  await clock.advance(60_000)
  expect(refreshes).toBe(2)
})
