import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Embedder } from '../../../../src/catalog/indexing/document-embeddings.ts'
import { startIndexing } from '../../../../src/catalog/indexing/start-indexing.ts'
import { defaultTimings } from '../../../../src/payments/engine/timings.ts'
import type { HealthMonitor } from '../../../../src/payments/health/health-monitor.ts'
import { type SteadyClock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics, type Metrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { watchHealth } from '../../../../src/service/networks/watch-health.ts'
import { catalogItems } from '../../../support/catalog-listing.ts'
import { contentOf, insert } from '../../catalog/published-listings.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'
import { HurriedClock, timings } from './health-world.ts'

const eventually = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: 120_000, interval: 20 })

/** Shortens every pause to 50 ms: an endpoint that failed is left alone for many seconds. */
const hasty: SteadyClock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 50), signal),
}

describe('the catalog in /health', () => {
  const open: AsyncDisposable[] = []
  let store: Store
  let metrics: Metrics
  let clock: HurriedClock
  let health: HealthMonitor

  beforeEach(async () => {
    store = await openEmptyStore()
    metrics = createMetrics()
    clock = new HurriedClock()
    const stop = new AbortController()
    const deps = { store, clock, metrics, log: createLogger({ level: 'silent' }) }
    health = watchHealth(
      [],
      { ...deps, timings: { ...defaultTimings, ...timings }, signal: stop.signal },
      { hasCatalog: true },
    ).health
    open.push({ [Symbol.asyncDispose]: async () => stop.abort() })
  })
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]()
    await store.close()
  })

  const search = async (embedder?: Embedder) => {
    const indexing = await startIndexing({
      db: store.db,
      items: catalogItems(store.db),
      clock: hasty,
      replica: 'searches',
      embedder,
      onError: () => undefined,
      onBuilt: () => undefined,
      onSearched: () => undefined,
    })
    open.push(indexing)
    return indexing
  }
  const polled = async () => {
    await health.poll()
    return health.latest
  }
  const codes = async () => (await polled()).warnings.map(({ code }) => code)

  test('reports the listings, the outbox, the outcomes of the hour and the newest index', async () => {
    await insert(store, contentOf('weather'))
    await insert(store, contentOf('tides'), { state: 'pending' })
    await sql`insert into catalog_outcome_counts (minute, phase, status, writer, outcomes) values
      (date_trunc('minute', clock_timestamp()), 'settle', 'success', 'one', 2),
      (date_trunc('minute', clock_timestamp()), 'settle', 'success', 'two', 3),
      (date_trunc('minute', clock_timestamp()), 'verify', 'rejected', 'one', 1),
      (clock_timestamp() - interval '2 hours', 'settle', 'rejected', 'one', 9)`.execute(store.db)
    await sql`insert into catalog_outbox (settlement_id, network, payer, nonce, pay_to, scheme, asset,
        amount, transaction, settled_at, body, due_at)
      values (1, 'stellar:testnet', 'GPAYER', '1', 'GOWNER', 'exact', 'CASSET', 1, 'ab',
        clock_timestamp() - interval '90 seconds', '{}', clock_timestamp())`.execute(store.db)
    const indexing = await search()
    await eventually(() => expect(indexing.build()).toMatchObject({ revision: 2 }))
    await indexing.search.search({ query: 'weather', filters: {} })
    await insert(store, contentOf('rivers'))

    await eventually(async () =>
      expect(await polled()).toMatchObject({
        catalog: {
          listings: { pending: 1, published: 2, quarantined: 0 },
          outboxPending: 1,
          outcomes1h: { settle: { success: 5 }, verify: { rejected: 1 } },
        },
        search: {
          indexRevision: 3,
          indexAgeSeconds: expect.any(Number),
          lastBuild: 'ok',
          embeddingFailures1h: 0,
          p50Ms: expect.any(Number),
          p95Ms: expect.any(Number),
        },
      }),
    )
    const { text } = await metrics.expose()
    expect(text).toContain('svc_catalog_listings{state="published"} 2')
    expect(text).toContain('svc_catalog_outbox_pending 1')
    expect(Number(/svc_catalog_outbox_oldest_seconds (\d+)/.exec(text)?.[1])).toBeGreaterThan(89)
  })

  test('catalog_unreadable: raised while a table is missing, cleared by its return', async () => {
    expect(await codes()).toEqual([])

    await sql`alter table catalog_outbox rename to elsewhere`.execute(store.db)
    expect(await codes()).toEqual(['catalog_unreadable'])
    expect(await polled()).toMatchObject({
      state: 'degraded',
      catalog: { listings: null, outboxPending: null },
    })
    expect((await metrics.expose()).text).toContain(
      'svc_health_warnings{code="catalog_unreadable"} 1',
    )

    await sql`alter table elsewhere rename to catalog_outbox`.execute(store.db)
    expect(await codes()).toEqual([])
    expect((await metrics.expose()).text).toContain(
      'svc_health_warnings{code="catalog_unreadable"} 0',
    )
  })

  test('search_index_failed: raised when the first build fails, cleared by one that succeeds', async () => {
    await sql`alter table listings rename column content to elsewhere`.execute(store.db)
    const indexing = await search()

    await eventually(async () => expect(await codes()).toEqual(['search_index_failed']))
    expect(await polled()).toMatchObject({
      state: 'degraded',
      search: { indexRevision: null, lastBuild: 'failed' },
    })
    expect(await indexing.search.search({ query: 'weather', filters: {} })).toBeUndefined()

    await sql`alter table listings rename column elsewhere to content`.execute(store.db)
    await eventually(async () => expect(await codes()).toEqual([]))
  })

  test('a failed build is no failure of the search while an earlier index serves', async () => {
    const indexing = await search()
    await eventually(() => expect(indexing.build()).toMatchObject({ result: 'ok' }))
    await sql`alter table listings rename column content to elsewhere`.execute(store.db)
    await sql`update catalog_revisions set revision = revision + 1`.execute(store.db)

    await eventually(async () => expect((await polled()).search?.lastBuild).toBe('failed'))
    expect(await codes()).toEqual([])
    const answer = await indexing.search.search({ query: 'weather', filters: {} })
    expect(answer).toMatchObject({ method: 'hybrid', revision: expect.any(Number) })
  })

  describe('search_index_degraded', () => {
    test('is raised while the embeddings endpoint fails, and cleared when it answers', async () => {
      let fails = true
      await insert(store, contentOf('weather'))
      await search({
        model: 'small',
        embed: async (texts) => {
          if (fails) throw new Error('the endpoint is down')
          return texts.map(() => Float32Array.of(1))
        },
      })

      await eventually(async () => expect(await codes()).toEqual(['search_index_degraded']))
      const { search: member, state } = await polled()
      expect({ state, ...member }).toMatchObject({ state: 'healthy', lastBuild: 'degraded' })
      expect(member?.embeddingFailures1h).toBeGreaterThan(0)

      fails = false
      await eventually(async () => expect(await codes()).toEqual([]))
    })

    test('is raised while the index lacks a change of over a minute ago', async () => {
      const id = await insert(store, contentOf('weather'))
      await sql`insert into search_builds (replica, revision, result, built_at, listings,
          embedding_failures, seen_at)
        values ('stuck', 0, 'ok', clock_timestamp(), 0, 0, clock_timestamp())`.execute(store.db)
      expect(await codes()).toEqual([])

      await sql`update listings set updated_at = clock_timestamp() - interval '61 seconds'
        where id = ${id}`.execute(store.db)
      expect(await codes()).toEqual(['search_index_degraded'])

      await sql`update search_builds set revision = 1`.execute(store.db)
      expect(await codes()).toEqual([])
    })

    test('is raised when no process has searched for a minute', async () => {
      expect(await codes()).toEqual([])
      clock.hurry(61_000)
      expect(await codes()).toEqual(['search_index_degraded'])

      const indexing = await search()
      await eventually(() => expect(indexing.build()).toMatchObject({ result: 'ok' }))
      await eventually(async () => expect(await codes()).toEqual([]))
    })
  })
})
