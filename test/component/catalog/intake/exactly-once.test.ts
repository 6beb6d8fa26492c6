import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { programPath } from '../../../support/programs/program-path.ts'
import { type IntakeWorld, openIntakeWorld, patience, settle } from './intake-world.ts'

const RESOURCES = 12
const PER_RESOURCE = 5
const TAKEN_FOR_MS = 1_000
/** Three of them leave some. */
const PER_KILLED_PROCESS = 15

describe('settled payments of several resources', () => {
  let world: IntakeWorld
  beforeAll(async () => {
    world = await openIntakeWorld()
  })
  afterEach(() => world.empty())
  afterAll(() => world[Symbol.asyncDispose]())

  const settleAll = async () => {
    for (let n = 0; n < RESOURCES * PER_RESOURCE; n++) {
      const resource = { url: `https://api.example.com/${n % RESOURCES}` }
      await settle(world.store, { declaration: { resource } })
    }
  }
  const expectEachOnce = async () => {
    const listings = await world.listings()
    expect(listings).toHaveLength(RESOURCES)
    for (const { settlements, version } of listings) {
      expect([settlements, version]).toEqual([BigInt(PER_RESOURCE), 1])
    }
    expect(await world.versions()).toHaveLength(RESOURCES)
    const outcomes = await world.db.selectFrom('catalog_outcomes').select('code').execute()
    expect(outcomes).toHaveLength(RESOURCES * PER_RESOURCE)
    const newListings = world.db.selectFrom('catalog_new_listings').select('listing_id').execute()
    expect(await newListings).toHaveLength(RESOURCES)
    const waiting = outcomes.filter(({ code }) => code !== 'awaiting_origin_verification')
    expect(waiting).toEqual([])
  }

  test('are recorded once each by two catalog processes', async () => {
    await settleAll()
    await using _one = world.start({ writer: 'one' })
    await using _two = world.start({ writer: 'two' })
    await vi.waitFor(world.isDrained, patience)
    await expectEachOnce()
  })

  test('are recorded once each when processes are killed while they record', async () => {
    await settleAll()
    for (let killed = 0; killed < 3; killed++) {
      const left = await waiting()
      const child = startProcess()
      await vi.waitFor(async () => expect(await waiting()).toBeLessThan(left - 10), patience)
      await kill(child)
      expect(await waiting()).toBeGreaterThan(0)
    }
    await world.drain({ takenForMs: TAKEN_FOR_MS })
    await expectEachOnce()
  })

  test('that a process takes and then leaves at its stop are left to others at once', async () => {
    const stop = new AbortController()
    await settleAll()
    let checked = 0
    const intake = world.start({
      signal: stop.signal,
      takenForMs: 3_600_000,
      isOwnAccount: () => {
        checked += 1
        if (checked === 5) stop.abort()
        return false
      },
    })
    await vi.waitFor(() => expect(stop.signal.aborted).toBe(true), patience)
    await intake[Symbol.asyncDispose]()
    expect(await waiting()).toBeGreaterThan(0)
    await world.drain()
    await expectEachOnce()
  })

  test('are recorded at once by an intake that is woken', async () => {
    await using intake = world.start({ everyMs: 3_600_000 })
    await settle(world.store)
    intake.wake()
    await vi.waitFor(world.isDrained, patience)
    await settle(world.store)
    intake.wake()
    await vi.waitFor(world.isDrained, patience)
    expect(await world.listing()).toMatchObject({ settlements: 2n })
  })

  const waiting = async () => {
    const { count } = await world.db
      .selectFrom('catalog_outbox')
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  const startProcess = () =>
    fork(programPath('test/support/catalog/intake-process.ts'), [
      JSON.stringify({
        ...{ url: world.url, takenForMs: TAKEN_FOR_MS, standsStillAfter: PER_KILLED_PROCESS },
      }),
    ])
})

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
