import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Localnet } from '../../../../src/localnet/network.ts'
import { startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { flagUnresolvable } from '../../../../src/payments/store/settlements/due.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { openStore } from '../../../../src/platform/database/open.ts'
import { bareDatabase } from '../../../support/postgres.ts'
import { administer } from '../../../support/postgres-server.ts'
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
  storedStates,
  XLM,
} from '../admin-world.ts'
import { runHere } from '../run-here.ts'

/* Most commands run in this process. As programs: the help of each, one that ends with 0, and one that ends with 1. */

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
const program = (...args: string[]) => run(world.env(sponsor), ...args)

describe('each of the commands', () => {
  const commands = ['status', 'provision', 'retire']

  test.each(commands)('explains itself: svc %s --help', async (command) => {
    const ran = await run({ PATH: process.env['PATH'] }, command, '--help')
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(new RegExp(`^svc ${command}: `))
    expect(ran.out).toContain('--network')
  })

  test.each([
    {
      args: ['status', '--network', 'stellar:futurenet'],
      says: '--network is one of stellar:testnet',
    },
    {
      args: ['retire', '--network', 'stellar:pubnet'],
      says: 'stellar:pubnet is not among the configured',
    },
    {
      args: ['retire', '--count', '0'],
      says: '--count is a whole number from 1 to 1000, not 0',
    },
    { args: ['provision', '--count', 'many'], says: 'not many' },
    { args: ['provision', '--channels', '3'], says: "Unknown option '--channels'" },
    { args: ['retire', 'now'], says: "Unexpected argument 'now'" },
  ])('exits 64 for $args, and touches nothing', async ({ args, says }) => {
    const ran = await svc(...args)
    expect(ran).toMatchObject({ code: 64, out: '' })
    expect(ran.err).toContain(says)
  })

  test('exits 78 and lists every problem, without those of variables that only serving needs', async () => {
    for (const command of commands) {
      const env = {
        PATH: process.env['PATH'],
        STORE: 'postgres',
        TESTNET_SPONSOR_SECRET: 'S1',
        PORT: 'none',
      }
      const ran = await runHere({ ...env, NETWORKS: 'stellar:testnet,stellar:pubnet' }, command)
      expect(ran).toMatchObject({ code: 78, out: '' })
      for (const variable of [
        'DATABASE_URL',
        'TESTNET_RPC_URL',
        'TESTNET_SPONSOR_SECRET',
        'PUBNET_RPC_URL',
        'PUBNET_SPONSOR_SECRET',
      ]) {
        expect(ran.err).toMatch(new RegExp(`^ {2}${variable} `, 'm'))
      }
      expect(ran.err.split('\n').filter((line) => line.startsWith('  '))).toHaveLength(5)
      expect(ran.err).not.toContain('S1')
    }
  })

  test('reads only the network that --network names, and needs no variable of the other', async () => {
    const env = world.env(sponsor, { NETWORKS: 'stellar:pubnet,stellar:testnet' })
    expect((await runHere(env, 'status')).code).toBe(78)
    const { lines } = await runHere(env, 'status', '--network', network)
    expect(lines.map((line) => line.network)).toEqual([network])
  })

  test('prints a line for each network, and exits 1 when one of them does not answer', async () => {
    await world.fund(sponsor, 10n * XLM)
    const env = world.env(sponsor, {
      NETWORKS: 'stellar:pubnet,stellar:testnet',
      PUBNET_RPC_URL: 'https://127.0.0.1:1',
      PUBNET_SPONSOR_SECRET: newSponsor().secret,
    })
    const ran = await run(env, 'provision')
    expect(ran.code).toBe(1)
    expect(ran.lines).toMatchObject([
      {
        network: 'stellar:pubnet',
        ok: false,
        problems: [expect.stringContaining('127.0.0.1:1')],
      },
      { network: 'stellar:testnet', ok: true, problems: [] },
    ])
  })

  test('exits 1 in a sentence without the database', async () => {
    await world.fund(sponsor, 10n * XLM)
    const env = world.env(sponsor, { DATABASE_URL: 'postgres://127.0.0.1:1/x' })
    for (const command of commands) {
      const ran = await runHere(env, command)
      expect(ran.code).toBe(1)
      expect(ran.lines).toMatchObject([
        { ok: false, problems: [expect.stringMatching(/^Nothing accepts connections at /)] },
      ])
    }
    expect(channelsOnLedger(world, sponsor, 2)).toBe(0)
  })

  test('uses no endpoint that serves another network', async () => {
    await world.fund(sponsor, 10n * XLM)
    await svc('provision')
    await using other = await startLocalnetServer({
      network: new Localnet({ passphrase: 'another network' }),
      closeEveryMs: 'manual',
    })
    for (const command of commands) {
      const ran = await runHere(world.env(sponsor, { TESTNET_RPC_URL: other.httpUrl }), command)
      expect(ran.code).toBe(1)
      expect(ran.err).toMatch(/(serves "another network"|no RPC endpoint serves the network)/)
    }
    expect(await storedStates(world, sponsor)).not.toContain('retired')
  })
})

describe('svc provision', () => {
  test('creates what is missing, then nothing, then what a larger count adds', async () => {
    await world.fund(sponsor, 30n * XLM)
    const first = await program('provision')
    expect(first.code).toBe(0)
    const [none, both, note] = first.err.split('\n')
    expect([none, both]).toEqual([
      `svc provision: ${network}: 0 of 2 accounts in place`,
      `svc provision: ${network}: 2 of 2 accounts in place`,
    ])
    // Other tests have left channels of other sponsors in this database.
    expect(note).toMatch(
      /this sponsor had no channels, and the store has 2 channels of G.*the seed that you mean\?$/,
    )
    expect(first.lines).toEqual([
      {
        network,
        ok: true,
        sponsor: sponsor.address,
        channels: 2,
        created: 2,
        authority: null,
        authoritiesCreated: 0,
        balanceXlm: '29.99994',
        problems: [],
      },
    ])
    expect((await svc('provision')).lines).toMatchObject([{ channels: 2, created: 0 }])
    expect((await svc('provision', '--count', '5')).lines).toMatchObject([
      { channels: 5, created: 3 },
    ])
    expect(onLedger(world, sponsor.address)).toEqual({
      // The last ones were created with a channel as source: its fee bump counts as an operation.
      balance: 30n * XLM - (5n * 3n + 1n) * FEE,
      sponsoring: 10,
    })
    expect((await svc('provision')).lines).toMatchObject([{ channels: 5, created: 0 }])
  })

  test('brings a bare database up to date first', async () => {
    await using database = await bareDatabase()
    await world.fund(sponsor, 10n * XLM)
    const env = world.env(sponsor, { DATABASE_URL: database.url })
    expect((await runHere(env, 'provision')).lines).toMatchObject([{ ok: true, channels: 2 }])
    expect((await runHere(env, 'migrate', '--check')).code).toBe(0)
  })

  test('reports a missing sponsor, and one with too little XLM', async () => {
    const { code, lines } = await svc('provision')
    expect(code).toBe(1)
    expect(lines[0].problems).toEqual([
      `sponsor ${sponsor.address}, the account of TESTNET_SPONSOR_SECRET, does not exist on ${network}: ` +
        'send it XLM, or set the seed of the sponsor that you mean',
    ])
    await world.fund(sponsor, 2n * XLM)
    expect((await svc('provision')).lines[0].problems[0]).toContain('of its 2 XLM: ')
  })
})

describe('svc status', () => {
  test('prints the state of sponsor, channels and settlements', async () => {
    await world.fund(sponsor, 30n * XLM)
    await svc('provision')
    await world.store.db
      .updateTable('channels')
      .set({ sequence: null })
      .where('sponsor', '=', sponsor.address)
      .where('index', '=', 1)
      .execute()
    const { code, lines, err } = await program('status')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(lines).toEqual([
      {
        network,
        ok: true,
        sponsor: sponsor.address,
        ledger: world.ledgers.latest.sequence,
        balanceXlm: '29.99994',
        // Two entries of its own and two of each channel lock half an XLM; each merge may cost 0.001.
        movableXlm: '26.99794',
        channels: {
          configured: 2,
          onLedger: 2,
          active: 2,
          draining: 0,
          retired: 0,
          quarantined: 0,
          sequenceUnknown: 1,
          leased: 0,
        },
        settlements: { unfinished: 0, claimed: 0, lapsed: 0, submitted: 0, unresolvable: 0 },
        problems: [],
      },
    ])
  })

  test('counts the channels of an earlier count with --count', async () => {
    await world.fund(sponsor, 30n * XLM)
    await svc('provision', '--count', '4')
    await world.store.db.deleteFrom('channels').where('sponsor', '=', sponsor.address).execute()
    const channels = async (...args: string[]) =>
      (await svc('status', ...args)).lines[0].channels.onLedger
    expect(await channels()).toBe(2)
    expect(await channels('--count', '9')).toBe(4)
  })

  test('counts live claims, lapsed claims, recorded and unresolvable settlements', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    await store.migrate()
    await addChannels(store, 6)
    await claimWithChannel(store.db, claimRequest('1'))
    const over = { claimTtlMs: NO_TIME, leaseTtlMs: NO_TIME }
    await claimWithChannel(store.db, claimRequest('2', over))
    for (const nonce of ['3', '4', '5']) await submit(store, nonce)
    await flagUnresolvable(store.db, keyOf('4'), 'the network forgot the ledgers', 60_000)
    await finishSettlement(store.db, ending('5'))
    const { lines } = await runHere(world.env(sponsor, { DATABASE_URL: database.url }), 'status')
    expect(lines[0]).toMatchObject({
      channels: { active: 0, leased: 3 },
      settlements: { unfinished: 3, claimed: 1, lapsed: 1, submitted: 2, unresolvable: 1 },
    })
  })

  test('writes nothing: a read-only database is enough', async () => {
    await using database = await bareDatabase()
    {
      await using store = await openStore({ kind: 'postgres', url: database.url })
      await store.migrate()
      await addChannels(store, 2)
    }
    const name = new URL(database.url).pathname.slice(1)
    await administer(database.url, `alter database ${name} set default_transaction_read_only = on`)
    await world.fund(sponsor, 10n * XLM)
    const env = world.env(sponsor, { DATABASE_URL: database.url })
    expect(await runHere(env, 'status')).toMatchObject({ code: 0, lines: [{ ok: true }] })
    expect((await runHere(env, 'provision')).code).toBe(1)
  })

  test('reports a schema that lacks migrations, and does not change it', async () => {
    await using database = await bareDatabase()
    await world.fund(sponsor, 10n * XLM)
    const env = world.env(sponsor, { DATABASE_URL: database.url })
    for (const _ of ['first', 'again']) {
      const { code, lines } = await runHere(env, 'status')
      expect(code).toBe(1)
      expect(lines[0]).toMatchObject({ ok: false, balanceXlm: '10', settlements: null })
      expect(lines[0].problems).toEqual([
        expect.stringMatching(/^the schema lacks 0001-payments, .*svc migrate/),
      ])
    }
    await using store = await openStore({ kind: 'postgres', url: database.url })
    expect(await store.pendingMigrations()).toContain('0001-payments')
  })

  test('prints what is in the store when no endpoint answers', async () => {
    await world.fund(sponsor, 10n * XLM)
    await svc('provision')
    const env = world.env(sponsor, { TESTNET_RPC_URL: 'http://127.0.0.1:1' })
    const { code, lines } = await runHere(env, 'status')
    expect(code).toBe(1)
    expect(lines[0]).toMatchObject({ ledger: null, balanceXlm: null, movableXlm: null })
    expect(lines[0].channels).toMatchObject({ onLedger: null, active: 2 })
  })

  test('reports a sponsor that is not on the ledger', async () => {
    const { code, lines } = await svc('status')
    expect(code).toBe(1)
    expect(lines[0].problems).toEqual([
      `sponsor ${sponsor.address} does not exist on the ledger; send XLM to ${sponsor.address}`,
    ])
  })

  test('says that only the service knows the data of a store in memory', async () => {
    await world.fund(sponsor, 10n * XLM)
    const env = world.env(sponsor, { STORE: 'memory', DATABASE_URL: undefined })
    const { code, lines, err } = await runHere(env, 'status')
    expect(code).toBe(0)
    expect(lines[0]).toMatchObject({ settlements: null, channels: { onLedger: 0, leased: null } })
    expect(err).toContain('only the service itself knows')
  })
})
