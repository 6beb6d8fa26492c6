import { hostname } from 'node:os'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import { claimSponsor } from '../../../../src/payments/store/pools/ownership.ts'
import { writeHeartbeats } from '../../../../src/payments/store/replica-heartbeats.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { openStore } from '../../../../src/platform/database/open.ts'
import { bareDatabase } from '../../../support/postgres.ts'
import {
  addChannels,
  claimRequest,
  ending,
  keyOf,
  NO_TIME,
  submit,
} from '../../payments/store/builders.ts'
import {
  type AdminWorld,
  channelsOnLedger,
  network,
  newSponsor,
  onLedger,
  openAdminWorld,
  run,
  type Sponsor,
  SvcProcess,
  storedStates,
  XLM,
} from '../admin-world.ts'
import { runHere } from '../run-here.ts'

/* Most commands run in this process; one that merges and one that refuses run as programs. */

const FEE = 100n

let world: AdminWorld
let sponsor: Sponsor
beforeAll(async () => {
  world = await openAdminWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => {
  sponsor = newSponsor()
})

const svc = (...args: string[]) => runHere(world.env(sponsor), ...args)

describe('svc retire', () => {
  test('returns every reserve to the stroop, and does nothing when it is repeated', async () => {
    await world.fund(sponsor, 30n * XLM)
    await svc('provision')
    const retired = await run(world.env(sponsor), 'retire')
    expect(retired.code).toBe(0)
    expect(retired.err).toBe(
      `svc retire: ${network}: 0 of 2 accounts merged\nsvc retire: ${network}: 2 of 2 accounts merged\n`,
    )
    expect(retired.lines).toEqual([
      {
        network,
        ok: true,
        sponsor: sponsor.address,
        merged: 2,
        stillSponsoring: 0,
        balanceXlm: '29.99992',
        problems: [],
      },
    ])
    expect(onLedger(world, sponsor.address)).toEqual({
      balance: 30n * XLM - 2n * 3n * FEE - 2n * FEE,
      sponsoring: 0,
    })
    expect(await storedStates(world, sponsor)).toEqual(['retired'])
    expect(await svc('retire')).toMatchObject({ code: 0, lines: [{ merged: 0 }] })
    expect((await svc('status')).lines[0].channels).toMatchObject({
      onLedger: 0,
      active: 0,
      retired: 2,
    })
    expect(await svc('provision')).toMatchObject({ code: 0, lines: [{ channels: 2, created: 2 }] })
    expect(await storedStates(world, sponsor)).toEqual(['active'])
  })

  test('merges the channels in the store beyond the count, and hints at channels it does not know', async () => {
    await world.fund(sponsor, 30n * XLM)
    await svc('provision', '--count', '6')
    await world.store.db
      .deleteFrom('channels')
      .where('sponsor', '=', sponsor.address)
      .where('index', '>', 3)
      .execute()
    const first = await svc('retire')
    expect(first).toMatchObject({ code: 0, lines: [{ merged: 4, stillSponsoring: 4 }] })
    expect(first.err).toContain('--count')
    expect((await svc('retire', '--count', '6')).lines).toMatchObject([
      { merged: 2, stillSponsoring: 0 },
    ])
  })

  test('refuses with a store in memory, unless forced', async () => {
    await world.fund(sponsor, 30n * XLM)
    const env = world.env(sponsor, { STORE: 'memory', DATABASE_URL: undefined })
    expect(await runHere(env, 'provision')).toMatchObject({ code: 0 })
    const refused = await run(env, 'retire')
    expect(refused).toMatchObject({ code: 1, lines: [{ ok: false }] })
    expect(refused.err).toContain('--force')
    expect(channelsOnLedger(world, sponsor, 2)).toBe(2)
    expect(await runHere(env, 'retire', '--force')).toMatchObject({
      code: 0,
      lines: [{ merged: 2 }],
    })
    expect(onLedger(world, sponsor.address)).toMatchObject({ sponsoring: 0 })
  })

  test('refuses while a settlement is unfinished or a channel leased, with --force too, and changes nothing', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    const env = world.env(sponsor, { DATABASE_URL: database.url })
    await world.fund(sponsor, 30n * XLM)
    await runHere(env, 'provision')
    await addChannels(store, 1)
    await submit(store, '1')
    for (const args of [[], ['--force']]) {
      const refused = await runHere(env, 'retire', ...args)
      expect(refused).toMatchObject({ code: 1, lines: [{ ok: false }] })
      expect(refused.lines[0].problems[0]).toMatch(
        /^stellar:testnet is in use \(unfinished settlements: 1, leased channels: 1\)/,
      )
    }
    const states = (await listChannels(store.db, network)).map(({ state }) => state)
    expect(new Set(states)).toEqual(new Set(['active']))
    expect(channelsOnLedger(world, sponsor, 2)).toBe(2)
    await finishSettlement(store.db, ending('1'))
    expect(await runHere(env, 'retire')).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
  })

  test('refuses for the seed of an account that does not exist, and of one that is not the sponsor', async () => {
    await using database = await bareDatabase()
    const env = (of: Sponsor) => world.env(of, { DATABASE_URL: database.url })
    await world.fund(sponsor, 30n * XLM)
    await runHere(env(sponsor), 'provision')
    const [missing, other] = [newSponsor(), newSponsor()]
    await world.fund(other, 30n * XLM)

    expect(await runHere(env(missing), 'retire')).toMatchObject({
      code: 1,
      lines: [
        {
          network,
          ok: false,
          problems: [
            `sponsor ${missing.address}, the account of TESTNET_SPONSOR_SECRET, does not exist on ${network}: ` +
              'set the seed of the sponsor whose channels are to be merged',
          ],
        },
      ],
    })
    for (const args of [[], ['--force']]) {
      expect(await runHere(env(other), 'retire', ...args)).toMatchObject({
        code: 1,
        lines: [
          {
            ok: false,
            problems: [
              `sponsor ${other.address}, the account of TESTNET_SPONSOR_SECRET, has no channels on ${network}, ` +
                `but the store has 2 channels of ${sponsor.address} to merge: ` +
                'set the seed of the sponsor whose channels are to be merged',
            ],
          },
        ],
      })
    }
    expect(channelsOnLedger(world, sponsor, 2)).toBe(2)

    // Both have channels: nothing is wrong with either seed, but the work is not done after the first.
    await runHere(env(other), 'provision')
    const first = await runHere(env(other), 'retire')
    expect(first).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
    expect(first.err).toContain(`the store has 2 channels of ${sponsor.address} to merge`)
    const second = await runHere(env(sponsor), 'retire')
    expect(second).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
    expect(second.err).not.toContain('to merge')
  })

  test('refuses for such a seed with a store in memory too', async () => {
    const env = world.env(sponsor, { STORE: 'memory', DATABASE_URL: undefined })
    expect(await runHere(env, 'retire', '--force')).toMatchObject({
      code: 1,
      lines: [{ ok: false, problems: [expect.stringContaining(sponsor.address)] }],
    })
  })

  test('refuses beside a service, unless forced, and 30 s after it was killed at the latest not any more', {
    timeout: 240_000,
  }, async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    const env = world.env(sponsor, {
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      EXPLORER_ENABLED: 'false',
    })
    await world.fund(sponsor, 30n * XLM)
    const refusal = new RegExp(
      `^${network} is served by ${hostname()} \\(last heartbeat \\d+ s ago\\): stop the service first\\. `,
    )
    const refused = {
      code: 1,
      lines: [{ network, ok: false, problems: [expect.stringMatching(refusal)] }],
    }
    {
      using service = new SvcProcess(env, 'serve')
      await service.printed(/Service is listening/)
      expect(await runHere(env, 'retire')).toMatchObject(refused)
      expect(channelsOnLedger(world, sponsor, 2)).toBe(2)
      expect(await runHere(env, 'retire', '--force')).toMatchObject({
        code: 0,
        lines: [{ merged: 2 }],
      })
      expect(await runHere(env, 'provision')).toMatchObject({ code: 0, lines: [{ created: 2 }] })
      expect(await runHere(env, 'retire')).toMatchObject(refused)
      await service.end('SIGTERM')
      expect(await runHere(env, 'retire')).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
    }
    using killed = new SvcProcess(env, 'serve')
    await killed.printed(/Service is listening/)
    await killed.end('SIGKILL')
    expect(await runHere(env, 'retire')).toMatchObject(refused)
    await sql`update replica_heartbeats set seen_at = seen_at - interval '30 s'`.execute(store.db)
    expect(await runHere(env, 'retire')).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
  })

  test('does not refuse beside a replica of another pool', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    const env = world.env(sponsor, { DATABASE_URL: database.url })
    await world.fund(sponsor, 30n * XLM)
    await runHere(env, 'provision')
    await writeHeartbeats(store.db, 'shop-7d/1', [{ network, sponsor: 'GOTHER' }])
    expect(await runHere(env, 'retire')).toMatchObject({
      code: 1,
      lines: [{ problems: [expect.stringContaining('is served by shop-7d (')] }],
    })
    const pool = { network, sponsor: 'GOTHER', uid: 'p', name: 'shop/other' } as const
    await store.db
      .transaction()
      .execute((transaction) => claimSponsor(transaction, pool, 'shop/operator'))
    expect(await runHere(env, 'retire')).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
  })

  test('releases the claims of a service that died', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    const env = world.env(sponsor, { DATABASE_URL: database.url })
    await world.fund(sponsor, 30n * XLM)
    await runHere(env, 'provision')
    const dead = { sponsor: sponsor.address, claimTtlMs: NO_TIME }
    await claimWithChannel(store.db, claimRequest('1', dead))
    expect(await runHere(env, 'retire')).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
    expect((await findSettlement(store.db, keyOf('1')))?.state).toBe('abandoned')
  })

  test('reports a sponsor that cannot pay for the merges', async () => {
    await world.fund(sponsor, 3n * XLM + 2n * 3n * FEE + FEE)
    await svc('provision')
    const poor = await svc('retire')
    expect(poor.code).toBe(1)
    expect(poor.lines[0].problems[0]).toMatch(
      /too little for the fee of a transaction that merges channels: send 0\.1 XLM to G\w{55} on stellar:testnet$/,
    )
    expect(await storedStates(world, sponsor)).toEqual(['draining'])
    await world.fund(sponsor, XLM)
    expect(await svc('retire')).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
  })
})
