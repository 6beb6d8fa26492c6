import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../../../src/core/clock.ts'
import { defaultIngestTimings } from '../../../../src/explorer/ingest/timings.ts'
import { upkeep } from '../../../../src/explorer/ingest/upkeep.ts'
import { WriteQueue } from '../../../../src/explorer/ingest/write-queue.ts'
import { acquireLease } from '../../../../src/store/explorer/lease.ts'
import { hourOf } from '../../../../src/store/explorer/position.ts'
import { openEmptyStore } from '../../store/open-stores.ts'

test('a clock that is ahead does not empty the windows', async () => {
  const store = await openEmptyStore()
  onTestFinished(() => store.close())
  const lease = await acquireLease(store.db, 'a', 60_000)
  if (!lease) throw new Error('the lease is free')
  const stop = new AbortController()
  const quiet = () => undefined
  await using _work = upkeep({
    ...{ db: store.db, lease, writes: new WriteQueue(), signal: stop.signal },
    ...{ log: { info: quiet, warn: quiet, error: quiet }, timings: defaultIngestTimings },
    clock: { ...systemClock, now: () => Date.now() + 40 * 86_400_000 },
  })
  const readFrom = () =>
    store.db.selectFrom('explorer_windows').select('from_24h').executeTakeFirst()
  await vi.waitFor(async () => expect((await readFrom())?.from_24h).toBeGreaterThan(0), 20_000)
  expect((await readFrom())?.from_24h).toBeLessThanOrEqual(hourOf(Date.now() / 1_000) - 24)
})
