/** How long an announced facilitator has a signer: as long as its proof holds, and no other one before that. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { saveFacilitator } from '../../../../src/explorer/store/registry/facilitators.ts'
import { syncConfigured } from '../../../../src/explorer/store/registry/facilitators-add.ts'
import { randomSigner, type Signer } from '../../../../src/stellar/accounts/signer.ts'
import {
  network,
  openRegistryWorld,
  patience,
  type RegistryWorld,
  supportedOf,
} from './registry-world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const inMs = (ms: number) => new Date(Date.now() + ms)

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistryWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(async () => {
  await world.empty()
  await world.store.db.deleteFrom('explorer_moves').execute()
})

/** A facilitator that announced itself, and proves these signers. */
async function announced(id: string, ...keys: readonly Signer[]) {
  const server = await world.openFacilitator(supportedOf(keys.map(({ address }) => address)))
  server.keys = keys
  await world.store.db
    .insertInto('explorer_facilitators')
    .values({ id, base_url: server.baseUrl, display_name: id, source: 'announced' })
    .execute()
  return server
}

const until = (check: () => Promise<unknown>) => vi.waitFor(check, patience)

const untilIs = (id: string, expected: object) =>
  until(async () => expect(await world.facilitator(id)).toMatchObject(expected))

const claims = (key: Signer) => [{ network, address: key.address }]

const rowOf = ({ address }: Signer) =>
  world.store.db
    .selectFrom('explorer_signers')
    .selectAll()
    .where('address', '=', address)
    .executeTakeFirst()

const changeRow = ({ address }: Signer, proven_until: Date) =>
  world.store.db
    .updateTable('explorer_signers')
    .set({ proven_until })
    .where('address', '=', address)
    .execute()

const endCoolDown = (...ids: readonly string[]) =>
  world.store.db
    .updateTable('explorer_facilitators')
    .set({ signers_changed_at: inMs(-HOUR_MS) })
    .where('id', 'in', ids)
    .execute()

const moves = async () =>
  (await world.store.db.selectFrom('explorer_moves').select('address').execute()).map(
    ({ address }) => address,
  )

describe('a proof', () => {
  test.each([
    { server: 'answers 503 for proofs', fails: { proofs: 503 }, error: 'status 503' },
    { server: 'refuses to give proofs now', fails: { proofs: 429 }, error: 'status 429' },
    { server: 'answers 503 for everything', fails: { supported: 503 }, error: 'status 503' },
  ])(
    'of a server that $server holds until it ends, and then another one may have the signer',
    async ({ fails, error }) => {
      const key = randomSigner()
      const first = await announced('first', key)
      await using _registry = world.start()
      await untilIs('first', { verified: true, claimed_signers: [] })
      Object.assign(first, fails)
      await world.makeDue()
      await untilIs('first', { last_error: expect.stringContaining(error), verified: true })

      await announced('second', key)
      await untilIs('second', { verified: false, claimed_signers: claims(key) })
      expect(await world.signers()).toEqual({ [key.address]: 'first' })
      await world.store.db.deleteFrom('explorer_moves').execute()

      await endCoolDown('first')
      await changeRow(key, inMs(-1))
      await untilIs('first', { verified: false, claimed_signers: claims(key) })
      expect(await moves()).toEqual([key.address])
      await world.makeDue()
      await world.untilSigners({ [key.address]: 'second' })
      await untilIs('second', { verified: true, claimed_signers: [] })

      // The first one proves it again, and is the later one now.
      Object.assign(first, { supported: supportedOf([key.address]), proofs: inMs(HOUR_MS) })
      await world.makeDue()
      await untilIs('first', { last_error: null, verified: false, claimed_signers: claims(key) })
      expect(await world.signers()).toEqual({ [key.address]: 'second' })
    },
  )

  test('is renewed at each poll, also shortly after signers have changed, and that moves no payment', async () => {
    const key = randomSigner()
    const server = await announced('other', key)
    await using _registry = world.start()
    await world.untilSigners({ [key.address]: 'other' })
    const before = await rowOf(key)
    expect(before?.proven_until).toEqual(server.proofs)
    await world.store.db.deleteFrom('explorer_moves').execute()
    const later = inMs(DAY_MS)
    server.proofs = later
    await world.makeDue()
    await until(async () => expect((await rowOf(key))?.proven_until).toEqual(later))
    expect((await rowOf(key))?.claimed_at).toEqual(before?.claimed_at)
    expect(await moves()).toEqual([])
  })

  test('that ends within the hour after a change of signers ends with that hour: no change comes sooner', async () => {
    const [brief, long] = [randomSigner(), randomSigner()]
    const server = await announced('other', brief, long)
    await using _registry = world.start()
    await world.untilSigners({ [brief.address]: 'other', [long.address]: 'other' })
    server.supported = 503
    await changeRow(brief, inMs(-1))
    await world.makeDue()
    await untilIs('other', { last_error: expect.any(String) })
    expect(Object.keys(await world.signers())).toHaveLength(2)
    await endCoolDown('other')
    await untilIs('other', { claimed_signers: claims(brief), verified: true })
    expect(await world.signers()).toEqual({ [long.address]: 'other' })
  })

  test('counts for a week at most, and not at all when the database has it ended', async () => {
    await announced('other')
    const [long, ended] = [randomSigner(), randomSigner()]
    const named = [long, ended].map(({ address }) => ({ network, address }) as const)
    const signers = [
      { network, address: long.address, provenUntil: inMs(30 * DAY_MS) },
      { network, address: ended.address, provenUntil: inMs(-1) },
    ] as const
    const facts = { displayName: 'other', networks: [], uptoContracts: [], named, signers }
    await saveFacilitator(world.store.db, { id: 'other', source: 'announced' }, facts, DAY_MS)
    expect(Number((await rowOf(long))?.proven_until)).toBeLessThanOrEqual(Date.now() + 7 * DAY_MS)
    expect(await rowOf(ended)).toBeUndefined()
    expect(await world.facilitator('other')).toMatchObject({
      verified: true,
      claimed_signers: claims(ended),
    })
  })
})

test('a server that says that it has no proofs loses its signers without waiting for the end', async () => {
  const key = randomSigner()
  const server = await announced('other', key)
  await using _registry = world.start()
  await untilIs('other', { verified: true })
  await endCoolDown('other')
  server.proofs = 404
  await world.makeDue()
  await untilIs('other', { verified: false, claimed_signers: claims(key), last_error: null })
  expect(await world.signers()).toEqual({})
})

test('one that never proved anything is asked no more often than others when it fails', async () => {
  const server = await announced('other')
  server.supported = supportedOf([randomSigner().address])
  await using _registry = world.start()
  await until(async () =>
    expect((await world.facilitator('other'))?.claimed_signers).toHaveLength(1),
  )
  server.supported = 503
  await world.makeDue()
  await untilIs('other', { last_error: expect.any(String) })
  const { due_at, verified } = (await world.facilitator('other')) ?? {}
  expect(Math.round((Number(due_at) - Date.now()) / 60_000)).toBe(5)
  expect(verified).toBe(false)
})

describe('a facilitator that is no longer configured', () => {
  test('and does not answer keeps its signers for an hour', async () => {
    const key = randomSigner()
    const server = await world.openFacilitator(supportedOf([key.address]))
    {
      await using _registry = world.start({ configured: [server.baseUrl] })
      await world.untilSigners({ [key.address]: '127.0.0.1' })
    }
    expect((await rowOf(key))?.proven_until).toBeNull()
    server.supported = 503
    await syncConfigured(world.store.db, [])
    const end = Number((await rowOf(key))?.proven_until)
    expect(Math.round((end - Date.now()) / HOUR_MS)).toBe(1)
    await endCoolDown('127.0.0.1')
    await changeRow(key, inMs(-1))
    await using _registry = world.start()
    await untilIs('127.0.0.1', { verified: false, claimed_signers: claims(key) })
    expect(await world.signers()).toEqual({})
  })

  test('does not write what it was asked for before', async () => {
    const key = randomSigner()
    await announced('other')
    const named = [{ network, address: key.address }] as const
    const signers = [{ network, address: key.address, provenUntil: null }] as const
    const facts = { displayName: 'Configured', networks: [], uptoContracts: [], named, signers }
    const asked = { id: 'other', source: 'configured' } as const
    expect(await saveFacilitator(world.store.db, asked, facts, DAY_MS)).toBe(false)
    expect(await world.facilitator('other')).toMatchObject({ display_name: 'other' })
    expect(await world.signers()).toEqual({})
  })
})

test('an announced facilitator of which this service takes the last signer is no longer verified', async () => {
  const key = randomSigner()
  await announced('thief', key)
  await using registry = world.start()
  await untilIs('thief', { verified: true })
  await world.store.db
    .insertInto('channels')
    .values({
      network,
      sponsor: randomSigner().address,
      index: 0,
      account: key.address,
      state: 'active',
    })
    .execute()
  registry.wake()
  await world.untilSigners({ [key.address]: 'svc' })
  expect(await world.facilitator('thief')).toMatchObject({ verified: false })
})
