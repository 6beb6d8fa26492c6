/** A round of polls ends, however many facilitators are due: what it changed is shown, and proofs end, between two rounds. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { pollFacilitators } from '../../../../src/explorer/registry/facilitators/poll-facilitators.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { openRegistryWorld, type RegistryWorld } from './registry-world.ts'

const COUNT = 100

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistryWorld()
})
afterEach(() => world.empty())
afterAll(() => world[Symbol.asyncDispose]())

test('asks a part of the facilitators that are due, and the others in the next round', async () => {
  const rows = Array.from({ length: COUNT }, (_, index) => ({
    id: `other-${index}`,
    base_url: `https://${index}.facilitators.test`,
    display_name: 'Other',
    source: 'announced' as const,
  }))
  await world.store.db.insertInto('explorer_facilitators').values(rows).execute()
  const asked: string[] = []
  const fetch = async (url: URL) => {
    asked.push(url.host)
    return { kind: 'unreachable', reason: 'It is away.' } as const
  }
  const round = () =>
    pollFacilitators(
      {
        db: world.store.db,
        fetchers: { ...world.fetchers, supported: { fetch } },
        configured: [],
        allowLoopback: false,
        rpcs: new Map(),
        clock: systemClock,
        random: () => 0,
        log: createLogger({ level: 'silent' }),
        metrics: createMetrics(),
      },
      new AbortController().signal,
    )

  await round()
  expect(asked).toHaveLength(64)
  await round()
  expect(new Set(asked).size).toBe(COUNT)
})
