import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { QuotaRequest } from '../../../../src/platform/core/rate-windows.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { rateWindows } from '../../../../src/platform/database/rate-windows.ts'
import { openEmptyStore } from './open-stores.ts'

const limit = { perMinute: 20, slack: 8 }

const quotaRequest = (changes: Partial<QuotaRequest> = {}): QuotaRequest => ({
  client: '192.0.2.1',
  allowance: 0,
  used: 0,
  waiting: 1,
  ...changes,
})

// Again when a minute ends within a test.
describe('the rate windows of the store', { retry: 2 }, () => {
  let store: Store
  let windows: ReturnType<typeof rateWindows>

  beforeAll(async () => {
    store = await openEmptyStore()
    windows = rateWindows(store.db)
  })
  afterAll(() => store.close())
  beforeEach(async () => {
    await sql`delete from rate_windows`.execute(store.db)
  })

  /** One client's answer. */
  async function take(changes: Partial<QuotaRequest> = {}) {
    const [answer] = await windows.take([quotaRequest(changes)], limit)
    if (!answer) throw new Error('no answer')
    return answer
  }

  it('admits the waiting calls and grants half of the slack', async () => {
    const answer = await take({ waiting: 3 })
    expect(answer).toMatchObject({ admitted: 3, used: 3, allowance: 4 })
    expect(answer.msLeft).toBeGreaterThan(0)
    expect(answer.msLeft).toBeLessThanOrEqual(60_000)
  })

  it('never grants more than the slack to all replicas together', async () => {
    const granted = []
    for (let replica = 0; replica < 6; replica += 1) granted.push((await take()).allowance)
    expect(granted).toEqual([4, 2, 1, 0, 0, 0])
  })

  it('takes back an allowance, and counts what was used of it', async () => {
    const first = await take()
    const second = await take({ minute: first.minute, allowance: 4, used: 3 })
    expect(second).toMatchObject({ admitted: 1, used: 5, allowance: 4 })
  })

  it('admits exactly the limit', async () => {
    expect(await take({ waiting: 15 })).toMatchObject({ admitted: 15, used: 15, allowance: 4 })
    expect(await take({ waiting: 9 })).toMatchObject({ admitted: 5, used: 20, allowance: 0 })
    expect(await take()).toMatchObject({ admitted: 0, used: 20, allowance: 0 })
  })

  it('starts at zero in another minute, and ignores reports about the last one', async () => {
    const { minute } = await take({ waiting: 20 })
    await sql`update rate_windows set minute = minute - interval '1 minute'`.execute(store.db)
    const later = await take({ minute: '2026-01-01 00:00:00+00', allowance: 4, used: 4 })
    expect(later).toMatchObject({ minute, admitted: 1, used: 1, allowance: 4 })
  })

  it('counts calls that a replica admitted before its first answer', async () => {
    expect(await take({ used: 7 })).toMatchObject({ admitted: 1, used: 8 })
  })

  it('answers many clients in the order of the request', async () => {
    await take({ client: 'b', waiting: 20 })
    const requests = ['c', 'b', 'a'].map((client) => quotaRequest({ client }))
    const answers = await windows.take(requests, limit)
    expect(answers.map(({ admitted }) => admitted)).toEqual([1, 0, 1])
  })

  it('deletes idle clients', async () => {
    await take({ client: 'gone' })
    await sql`update rate_windows set minute = minute - interval '5 minutes'`.execute(store.db)
    // Another replica, which has not deleted idle clients in this minute.
    await rateWindows(store.db).take([quotaRequest({ client: 'here' })], limit)
    const { rows } = await sql<{ client: string }>`select client from rate_windows`.execute(
      store.db,
    )
    expect(rows).toEqual([{ client: 'here' }])
  })
})
