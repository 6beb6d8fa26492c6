import { Keypair } from '@stellar/stellar-sdk'
import { x402Facilitator } from '@x402/core/facilitator'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/facilitator'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { syncConfigured } from '../../../../src/explorer/store/registry/facilitators-add.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { randomSigner } from '../../../../src/stellar/accounts/signer.ts'
import { address } from '../../catalog/seed-listings.ts'
import {
  network,
  openRegistryWorld,
  patience,
  type RegistryWorld,
  supportedOf,
} from './registry-world.ts'

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistryWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => world.empty())

const addChannel = (sponsor: string, account: string, index: number, state = 'active' as const) =>
  world.store.db
    .insertInto('channels')
    .values({ network, sponsor, index, account, state })
    .execute()

/** As an announcement leaves it. */
const announced = (id: string, baseUrl: string, changes: object = {}) =>
  world.store.db
    .insertInto('explorer_facilitators')
    .values({ id, base_url: baseUrl, display_name: id, source: 'announced', ...changes })
    .execute()

const untilAsked = (requests: readonly string[], times: number) =>
  vi.waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(times), patience)

describe('this service in the registry', () => {
  test('has its sponsors and all channels for signers, retired ones too', async () => {
    const [sponsor, other, active, retired] = [address(), address(), address(), address()]
    await addChannel(sponsor, active, 0)
    await addChannel(sponsor, retired, 1, 'retired' as 'active')
    await world.store.db
      .insertInto('replica_heartbeats')
      .values({ network, sponsor: other, replica: 'one', seen_at: new Date() })
      .execute()
    await using _registry = world.start()
    const own = { [sponsor]: 'svc', [active]: 'svc', [retired]: 'svc', [other]: 'svc' }
    await world.untilSigners(own)
    expect(await world.facilitator('svc')).toMatchObject({
      source: 'own',
      verified: true,
      base_url: null,
      networks: [network],
    })
  })

  test('names the settlement contracts that it keeps alive', async () => {
    const contracts = ['CA', 'CB']
    await world.store.db
      .insertInto('upto_keepers')
      .values(contracts.map((contract) => ({ network, contract })))
      .execute()
    await using _registry = world.start()
    await vi.waitFor(async () => {
      expect(await world.facilitator('svc')).toMatchObject({ upto_contracts: contracts })
    }, patience)
    await world.store.db.deleteFrom('upto_keepers').execute()
  })

  test('gets a new channel within a round, and keeps one whose row is gone', async () => {
    const [sponsor, first, second] = [address(), address(), address()]
    await addChannel(sponsor, first, 0)
    await using _registry = world.start()
    await world.untilSigners({ [first]: 'svc' })
    await world.store.db.deleteFrom('channels').execute()
    await addChannel(sponsor, second, 1)
    await world.untilSigners({ [first]: 'svc', [second]: 'svc' })
  })

  test('writes nothing while no channel is new, and takes no lock that a payment waits for', async () => {
    const account = address()
    await addChannel(address(), account, 0)
    const onChanged = vi.fn()
    await using _registry = world.start({ onChanged })
    await world.untilSigners({ [account]: 'svc' })
    const rows = () =>
      sql`select xmin::text, address from explorer_signers order by address`.execute(world.store.db)
    const before = (await rows()).rows
    // A payment that has its channel's row locked holds up no round.
    await world.store.db.transaction().execute(async (payment) => {
      await sql`select * from channels for update`.execute(payment)
      await sql`lock table channels in row exclusive mode`.execute(payment)
      const other = address()
      await sql`insert into replica_heartbeats (network, sponsor, replica, seen_at)
        values (${network}, ${other}, 'two', now())`.execute(world.store.db)
      await world.untilSigners({ [other]: 'svc' })
    })
    const after = (await rows()).rows
    expect(after).toEqual(expect.arrayContaining(before))
  })

  test('takes its signers from every other facilitator, and loses none to them', async () => {
    const account = address()
    const thief = await world.openFacilitator(supportedOf([account]))
    await using registry = world.start({ configured: [thief.baseUrl] })
    await world.untilSigners({ [account]: '127.0.0.1' })
    await addChannel(address(), account, 0)
    registry.wake()
    await world.untilSigners({ [account]: 'svc' })
    await world.makeDue()
    await untilAsked(thief.requests, 3)
    await world.untilSigners({ [account]: 'svc' })
  })
})

describe('another facilitator', () => {
  test('is verified by its first good answer, which gives it signers, networks and a name', async () => {
    const [signer, contract] = [
      address(),
      'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
    ]
    const kinds = [
      { x402Version: 2, scheme: 'exact', network: 'eip155:8453' },
      { x402Version: 2, scheme: 'upto', network, extra: { uptoContract: contract } },
    ]
    const other = await world.openFacilitator(supportedOf([signer], { kinds, name: 'Payer\u202e' }))
    const onChanged = vi.fn()
    const metrics = createMetrics()
    await using _registry = world.start({ configured: [`${other.baseUrl}/`], onChanged, metrics })
    await world.untilSigners({ [signer]: '127.0.0.1' })
    const row = await world.facilitator('127.0.0.1')
    expect(row).toMatchObject({
      base_url: other.baseUrl,
      source: 'configured',
      verified: true,
      display_name: 'Payer',
      networks: ['eip155:8453', network],
      upto_contracts: [contract],
      last_error: null,
      lease_until: null,
    })
    expect(Math.round((Number(row?.due_at) - Date.now()) / 60_000)).toBe(5)
    expect(onChanged).toHaveBeenCalled()
    expect((await metrics.expose()).text).toContain(
      'svc_explorer_registry_polls_total{outcome="ok"} 1',
    )
  })

  test('that is the stock one is read as it answers', async () => {
    const keys = [Keypair.random(), Keypair.random()]
    const [signer, sponsor] = keys.map((key) => createEd25519Signer(key.secret(), network))
    if (!signer || !sponsor) throw new Error('no signer')
    const scheme = new ExactStellarScheme([signer], { feeBumpSigner: sponsor })
    const stock = new x402Facilitator().register(network, scheme)
    const other = await world.openFacilitator(stock.getSupported())
    await using _registry = world.start({ configured: [other.baseUrl] })
    await world.untilSigners(Object.fromEntries(keys.map((key) => [key.publicKey(), '127.0.0.1'])))
    expect(await world.facilitator('127.0.0.1')).toMatchObject({ networks: [network] })
  })

  test('whose host others have gets a number', async () => {
    const [one, two] = [
      await world.openFacilitator(supportedOf([])),
      await world.openFacilitator(supportedOf([])),
    ]
    await using _registry = world.start({ configured: [one.baseUrl, two.baseUrl] })
    await vi.waitFor(async () => {
      expect(await world.facilitator('127.0.0.1')).toMatchObject({ base_url: one.baseUrl })
      expect(await world.facilitator('127.0.0.1-2')).toMatchObject({ base_url: two.baseUrl })
    }, patience)
  })

  test('keeps its signers while it fails, with a short error, and is asked again', async () => {
    const signer = address()
    const other = await world.openFacilitator(supportedOf([signer]))
    await using _registry = world.start({ configured: [other.baseUrl] })
    await world.untilSigners({ [signer]: '127.0.0.1' })
    const failures = [
      [503, '/supported answered with status 503.'],
      ['<html>', '/supported did not answer with the kinds of payment that x402 defines.'],
      [
        JSON.stringify({ kinds: [], more: 'x'.repeat(262_144) }),
        'The answer has a body of more than 262144 bytes.',
      ],
    ] as const
    for (const [supported, last_error] of failures) {
      other.supported = supported
      await world.makeDue()
      await vi.waitFor(
        async () => expect(await world.facilitator('127.0.0.1')).toMatchObject({ last_error }),
        patience,
      )
    }
    expect(await world.signers()).toEqual({ [signer]: '127.0.0.1' })
    expect(await world.facilitator('127.0.0.1')).toMatchObject({ verified: true })
    other.supported = supportedOf([signer])
    await world.makeDue()
    await vi.waitFor(
      async () => expect(await world.facilitator('127.0.0.1')).toMatchObject({ last_error: null }),
      patience,
    )
  })

  test('loses a signer that it no longer names, and the rows of the others stay', async () => {
    const [stays, leaves] = [address(), address()]
    const other = await world.openFacilitator(supportedOf([stays, leaves]))
    await using _registry = world.start({ configured: [other.baseUrl] })
    await world.untilSigners({ [stays]: '127.0.0.1', [leaves]: '127.0.0.1' })
    const version = async () =>
      (
        await sql`select xmin::text from explorer_signers where address = ${stays}`.execute(
          world.store.db,
        )
      ).rows
    const before = await version()
    other.supported = supportedOf([stays])
    await world.makeDue()
    await vi.waitFor(
      async () => expect(await world.signers()).toEqual({ [stays]: '127.0.0.1' }),
      patience,
    )
    expect(await version()).toEqual(before)
    const moves = await world.store.db.selectFrom('explorer_moves').select('address').execute()
    expect(moves.map((move) => move.address)).toContain(leaves)
  })

  test('keeps a signer that it proved first, but gives it to a configured one', async () => {
    const [key, free] = [randomSigner(), randomSigner()]
    const [signer, other] = [key.address, free.address]
    const first = await world.openFacilitator(supportedOf([signer]))
    const second = await world.openFacilitator(supportedOf([signer, other]))
    first.keys = [key]
    second.keys = [key, free]
    await announced('first', first.baseUrl)
    await using registry = world.start()
    await world.untilSigners({ [signer]: 'first' })
    await announced('second', second.baseUrl)
    await world.untilSigners({ [signer]: 'first', [other]: 'second' })
    await registry[Symbol.asyncDispose]()
    await using _configured = world.start({ configured: [second.baseUrl] })
    await world.untilSigners({ [signer]: 'second', [other]: 'second' })
  })
})

describe('an announced facilitator', () => {
  const claimedBy = async (id: string) => (await world.facilitator(id))?.claimed_signers
  const untilClaimed = (id: string, ...addresses: readonly string[]) =>
    vi.waitFor(
      async () =>
        expect(await claimedBy(id)).toEqual(addresses.map((each) => ({ network, address: each }))),
      patience,
    )
  const signersChanged = (id: string, hoursAgo: number) =>
    world.store.db
      .updateTable('explorer_facilitators')
      .set({ signers_changed_at: new Date(Date.now() - hoursAgo * 3_600_000) })
      .where('id', '=', id)
      .execute()

  test('that names the signers of another one first gets none of them', async () => {
    const key = randomSigner()
    const thief = await world.openFacilitator(supportedOf([key.address]))
    const owner = await world.openFacilitator(supportedOf([key.address]))
    owner.keys = [key]
    await announced('thief', thief.baseUrl)
    await using _registry = world.start()
    await untilClaimed('thief', key.address)
    expect(await world.signers()).toEqual({})
    await announced('owner', owner.baseUrl)
    await world.untilSigners({ [key.address]: 'owner' })
    expect(await claimedBy('owner')).toEqual([])
  })

  test('loses what an earlier version gave it without a proof', async () => {
    const signer = address()
    const other = await world.openFacilitator(supportedOf([signer]))
    await announced('other', other.baseUrl, { verified: true })
    await world.store.db
      .insertInto('explorer_signers')
      .values({ network, address: signer, facilitator: 'other' })
      .execute()
    await using _registry = world.start()
    await untilClaimed('other', signer)
    expect(await world.signers()).toEqual({})
  })

  test('changes its signers once an hour: what it adds and takes away again moves no payments', async () => {
    const [stays, flips] = [randomSigner(), randomSigner()]
    const other = await world.openFacilitator(supportedOf([stays.address, flips.address]))
    other.keys = [stays, flips]
    await announced('other', other.baseUrl)
    await using _registry = world.start()
    await world.untilSigners({ [stays.address]: 'other', [flips.address]: 'other' })
    await world.store.db.deleteFrom('explorer_moves').execute()

    other.supported = supportedOf([stays.address], { name: 'Without' })
    await world.makeDue()
    await vi.waitFor(
      async () =>
        expect((await world.facilitator('other'))?.display_name).toBe('Without (127.0.0.1)'),
      patience,
    )
    expect(await world.signers()).toHaveProperty(flips.address)
    expect(await world.store.db.selectFrom('explorer_moves').selectAll().execute()).toEqual([])

    await signersChanged('other', 1)
    await world.makeDue()
    await vi.waitFor(
      async () => expect(await world.signers()).toEqual({ [stays.address]: 'other' }),
      patience,
    )
  })
})

describe('the configuration', () => {
  test('takes over an announced facilitator with its id, and gives it back when the URL goes', async () => {
    const signer = address()
    const other = await world.openFacilitator(supportedOf([signer]))
    await announced('some-id', other.baseUrl)
    {
      await using _registry = world.start({ configured: [other.baseUrl] })
      await world.untilSigners({ [signer]: 'some-id' })
      expect(await world.facilitator('some-id')).toMatchObject({ source: 'configured' })
    }
    await using _registry = world.start()
    await vi.waitFor(
      async () => expect(await world.facilitator('some-id')).toMatchObject({ source: 'announced' }),
      patience,
    )
    expect(await world.signers()).toEqual({ [signer]: 'some-id' })
  })

  test('never gives the id of this service to a host of that name', async () => {
    await syncConfigured(world.store.db, [{ baseUrl: 'http://svc', host: 'svc' }])
    expect(await world.facilitator('svc-2')).toMatchObject({ base_url: 'http://svc' })
  })

  test('leaves out a URL that may not be asked', async () => {
    const other = await world.openFacilitator(supportedOf([]))
    const configured = ['http://10.0.0.1/', 'ftp://example.com', other.baseUrl]
    await using _registry = world.start({ configured })
    await vi.waitFor(
      async () =>
        expect(await world.facilitator('127.0.0.1')).toMatchObject({ base_url: other.baseUrl }),
      patience,
    )
    const { rows } =
      await sql`select id from explorer_facilitators where source = 'configured'`.execute(
        world.store.db,
      )
    expect(rows).toEqual([{ id: '127.0.0.1' }])
  })
})

describe('several processes', () => {
  test('share the polls: a facilitator that is due is asked once', async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => world.openFacilitator(supportedOf([address()]))),
    )
    const configured = others.map(({ baseUrl }) => baseUrl)
    await using _one = world.start({ configured })
    await using _two = world.start({ configured })
    await vi.waitFor(
      async () => expect(Object.keys(await world.signers())).toHaveLength(3),
      patience,
    )
    const asked = (requests: readonly string[]) =>
      requests.filter((url) => url === '/supported').length
    expect(others.map(({ requests }) => asked(requests))).toEqual([1, 1, 1])
  })

  test('take over what a dead one had taken, when its lease ends', async () => {
    const other = await world.openFacilitator(supportedOf([]))
    await announced('leased', other.baseUrl, { lease_until: new Date(Date.now() + 3_600_000) })
    const free = await world.openFacilitator(supportedOf([]))
    await announced('free', free.baseUrl)
    await using _registry = world.start()
    await vi.waitFor(
      async () => expect((await world.facilitator('free'))?.last_seen_at).not.toBeNull(),
      patience,
    )
    expect(other.requests).toEqual([])
    await world.store.db
      .updateTable('explorer_facilitators')
      .set({ lease_until: new Date(0) })
      .execute()
    await vi.waitFor(
      async () => expect((await world.facilitator('leased'))?.last_seen_at).not.toBeNull(),
      patience,
    )
  })
})
