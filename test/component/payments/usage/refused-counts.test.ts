/** What the store refuses of one API key holds up neither the counts nor the uses of the others. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readKeyUses } from '../../../../src/payments/store/usage/key-uses.ts'
import { readUsage } from '../../../../src/payments/store/usage/read.ts'
import type { UsageMeter } from '../../../../src/payments/usage/usage-meter.ts'
import { apiKeySubject } from '../../../../src/platform/core/api-key-entry.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { meterUsage } from '../../../../src/service/facilitator/meter-usage.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

const digests = ['a', 'b', 'c'].map((letter) => letter.repeat(64))
const subjects = digests.map(apiKeySubject)
const [, refused = ''] = subjects

let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
  for (const table of ['usage_counts', 'api_key_uses']) {
    await sql
      .raw(`alter table ${table} add constraint refused check (subject <> '${refused}')`)
      .execute(store.db)
  }
})
afterAll(() => store?.close())

function countAll(meter: UsageMeter): void {
  for (const subject of subjects) {
    meter.count({
      ...{ subject, network: 'stellar:testnet', operation: 'verify', outcome: 'valid' },
      ...{ asset: 'CASSET', isAccepted: true },
    })
  }
}

const requestsOf = async (subject: string) =>
  (await readUsage(store.db, subject, 31)).map(({ requests }) => Number(requests))

test('they are written, and those of the refused key are once the store takes them', async () => {
  const usedAt = systemClock.now()
  const keys = { takeUses: () => digests.map((digest) => ({ digest, name: undefined, usedAt })) }
  const log = createLogger({ level: 'silent' })
  const parts = { store, keys, clock: systemClock, log, metrics: createMetrics() }
  await using meter = meterUsage(parts, 'one')
  countAll(meter)
  await meter.flush()
  countAll(meter)
  await meter.flush()
  expect(await Promise.all(subjects.map(requestsOf))).toEqual([[2], [], [2]])
  await expect
    .poll(async () =>
      (await readKeyUses(store.db)).flatMap((use) => (use.lastUsedAt ? [use.subject] : [])),
    )
    .toEqual(expect.arrayContaining(subjects.filter((subject) => subject !== refused)))

  await sql`alter table usage_counts drop constraint refused`.execute(store.db)
  await meter.flush()
  expect(await Promise.all(subjects.map(requestsOf))).toEqual([[2], [2], [2]])
})
