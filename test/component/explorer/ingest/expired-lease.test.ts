import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startIngest } from '../../../../src/explorer/ingest/start-ingest.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

test('a process whose lease ran out, since the database refuses it, does not say that it ingests', async () => {
  await using store = await openEmptyStore()
  const { db } = store
  const metrics = createMetrics()
  const quiet = () => undefined
  await using ingest = startIngest({
    ...{ db, metrics, clock: systemClock, random: () => 0.5, holder: 'a' },
    log: { info: quiet, warn: quiet, error: quiet },
    timings: { leaseTtlMs: 200, renewLeaseMs: 20, acquireLeaseMs: 20, upkeepMs: 3_600_000 },
    networks: [
      {
        ...{ id: 'stellar:testnet', passphrase: 'Test', uptoContracts: [], watchedAssets: [] },
        // Nothing is read, so nothing is written that would show the loss of the lease.
        rpc: { transactionsPage: (_start, _limit, signal) => aborted(signal) },
      },
    ],
  })
  const shows = (value: 0 | 1) =>
    vi.waitFor(
      async () =>
        expect((await metrics.expose()).text).toContain(`\nsvc_explorer_ingesting ${value}\n`),
      { timeout: 120_000, interval: 10 },
    )
  await shows(1)
  await sql`alter table explorer_lease rename to explorer_lease_away`.execute(db)
  await shows(0)
  expect(ingest.isIngesting).toBe(false)
  await sql`alter table explorer_lease_away rename to explorer_lease`.execute(db)
  await shows(1)
})

const aborted = (signal?: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
