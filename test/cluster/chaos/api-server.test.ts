import { describe, expect } from 'vitest'
import { condition, isReady } from '../kubernetes/operator/channel-pool/pool-world.ts'
import type { ApiFault } from '../support/api-faults.ts'
import { test } from '../support/cluster-test.ts'
import { type ChaosWorld, openChaosWorld, until } from './support/chaos-world.ts'
import { keepRunning } from './support/kept-running.ts'
import { brisk, isFull, limits, logDuration, pace, usual } from './support/pace.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Each kind is listed once at most; Secrets twice: those with the label, and the names of all others. */
function expectFewLists({ proxy }: ChaosWorld): void {
  const lists = proxy.calls.filter(({ verb, status }) => verb === 'list' && status === 200)
  const names = lists.map(({ resource }) => resource)
  for (const name of new Set(names)) {
    const count = names.filter((each) => each === name).length
    expect(count, name).toBeLessThanOrEqual(name === 'secrets' ? 2 : 1)
  }
}

/** Of the process, over all controllers. */
async function metric(adminUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe.concurrent('an API server outage', () => {
  type Outage = ApiFault | { readonly kind: 'refuse' }
  const outages: readonly Outage[] = [
    { kind: 'refuse' },
    { kind: 'hang' },
    { kind: 'status', status: 503 },
    { kind: 'slow', seconds: pace(1, 10) },
  ]

  // Short outages come one after the other, to save processes; long ones at the same time, to save time.
  const groups: readonly (readonly Outage[])[] = isFull ? outages.map((each) => [each]) : [outages]

  test.for(groups)(
    'costs at most one restart and one list; work continues after it',
    limits,
    async (group, { cluster }) => {
      await using world = await openChaosWorld(cluster)
      await using kept = keepRunning(() => world.stand('lonely', usual))
      await world.apply({ channels: 1 })
      await world.until(isReady)
      for (const [at, outage] of group.entries()) {
        const ends = kept.ends.length
        world.proxy.forget()
        if (outage.kind === 'refuse') world.proxy.refuse()
        else world.proxy.fail(outage)
        await world.patch({ spec: { channels: at + 2 } })
        await pause(pace(3_000, 300_000))
        const backAt = performance.now()
        world.proxy.accept()
        world.proxy.heal()
        await world.until(isReady)
        logDuration(
          `API server outage (${outage.kind}): everything is as desired`,
          performance.now() - backAt,
        )
        expect(await world.onLedger()).toEqual(upTo(at + 2))
        expect(kept.ends.length - ends).toBeLessThanOrEqual(isFull ? 1 : 0)
        expectFewLists(world)
      }
    },
  )

  test(
    'beyond the lease ends the leader, whose restart waits for the API server',
    limits,
    async ({ cluster }) => {
      await using world = await openChaosWorld(cluster)
      await using kept = keepRunning(() => world.stand('lonely', brisk))
      await world.apply({ channels: 1 })
      await world.until(isReady)
      world.proxy.refuse()
      await until(() => expect(kept.ends).toEqual([1]))
      await world.patch({ spec: { channels: 2 } })
      await pause(pace(2_000, 60_000))
      world.proxy.forget()
      const backAt = performance.now()
      world.proxy.accept()
      await world.until(isReady)
      logDuration(
        'API server outage beyond the lease: everything is as desired',
        performance.now() - backAt,
      )
      expect(await world.onLedger()).toEqual([0, 1])
      expect(kept.ends).toEqual([1])
      expectFewLists(world)
    },
  )
})

describe.concurrent('faulty watches', () => {
  const faults: readonly ApiFault[] = [
    { kind: 'gone' },
    { kind: 'garbage line' },
    { kind: 'end' },
    { kind: 'duplicate' },
    { kind: 'reorder' },
    { kind: 'bookmarks only' },
    // Detected by its silence, after two and a half minutes.
    ...(isFull ? [{ kind: 'half-open' } as const] : []),
  ]

  test('lose no change', limits, async ({ cluster }) => {
    await using world = await openChaosWorld(cluster)
    const operator = world.stand('lonely', usual)
    await world.apply({ channels: 1 })
    await world.until(isReady)
    for (const [at, fault] of faults.entries()) {
      const planned = world.proxy.fail(fault, { verbs: ['watch'], resources: ['channelpools'] })
      await world.patch({ spec: { channels: at + 2 } })
      planned.heal()
      await world.patch({ metadata: { labels: { round: fault.kind.replaceAll(' ', '-') } } })
      const healedAt = performance.now()
      await world.until(isReady)
      logDuration(
        `watch of the pools, ${fault.kind}: everything is as desired`,
        performance.now() - healedAt,
      )
      expect(await world.onLedger()).toEqual(upTo(at + 2))
    }
    expect(operator.lines.filter(({ level }) => Number(level) >= 60)).toEqual([])
  })
})

describe.concurrent('an overloaded API server', () => {
  test(
    'is not called before its Retry-After, and every change is made',
    limits,
    async ({ cluster }) => {
      await using world = await openChaosWorld(cluster)
      const retryAfterSeconds = pace(1, 5)
      world.proxy.fail({ kind: 'status', status: 429, retryAfterSeconds }, { share: 0.3 })
      world.stand('lonely', usual)
      await world.apply({ channels: 3, deletionPolicy: 'Retire' })
      await world.until(isReady)
      await world.patch({ spec: { channels: 1 } })
      await world.until((pool) => {
        isReady(pool)
        expect(pool?.status?.channels?.accounts).toBe(1)
      })
      await world.delete()
      await world.until((pool) => expect(pool).toBeUndefined())
      expect(await world.sponsoring()).toBe(0)

      // Lease renewals cannot wait, and a changed pool is another reason to write.
      const calls = world.proxy.calls.filter(
        ({ resource }) => resource !== 'leases' && resource !== 'channelpools',
      )
      const hasty = calls.filter(
        (call, at) =>
          call.status === 429 &&
          calls
            .slice(at + 1)
            .some(
              (next) =>
                next.verb === call.verb &&
                next.path === call.path &&
                next.atMs < call.atMs + retryAfterSeconds * 900,
            ),
      )
      expect(hasty.map(({ verb, path }) => `${verb} ${path}`)).toEqual([])
      expect(calls.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
    },
  )
})

describe.concurrent('many writers', () => {
  const writers = pace(4, 10)
  const everyMs = 200

  test('cause one status per generation and no error', limits, async ({ cluster }) => {
    await using world = await openChaosWorld(cluster)
    const operator = world.stand('lonely', usual)
    await world.apply({ channels: 1 })
    const before = await world.until(isReady)
    world.proxy.forget()
    const endAt = performance.now() + pace(4_000, 60_000)
    const write = async (writer: number): Promise<void> => {
      for (let round = 0; performance.now() < endAt; round++) {
        const value = `${writer}-${round}`
        const metadata = {
          labels: { [`w${writer}`]: value },
          annotations: { [`w${writer}`]: value },
        }
        const spec = { minSponsorBalanceXlm: String(1 + writer + writers * (round % 3)) }
        await world.patch(round % 2 === 0 ? { metadata } : { metadata, spec })
        await pause(everyMs)
      }
    }
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    const stormOverAt = performance.now()
    const after = await world.until(isReady)
    logDuration('many writers: everything is as desired', performance.now() - stormOverAt)
    const generations = (after.metadata.generation ?? 0) - (before.metadata.generation ?? 0)
    const writes = world.proxy.calls.filter(
      ({ verb, resource }) => verb === 'patch' && resource === 'channelpools',
    )
    expect(generations).toBeGreaterThan(writers)
    expect(writes.length).toBeLessThanOrEqual(generations + 1)
    expect(condition(after, 'Funded')?.observedGeneration).toBe(after.metadata.generation)
    const adminUrl = await operator.adminUrl
    expect(await metric(adminUrl, 'svc_controller_reconcile_errors_total')).toBe(0)
    expect(await metric(adminUrl, 'svc_controller_terminal_reconcile_errors_total')).toBe(0)
  })
})
