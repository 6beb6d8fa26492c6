import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkNames } from '../../../../src/diagnosis/problems/names.ts'
import { uptoContract } from '../../../../src/localnet/genesis/upto-contract.ts'
import { Localnet } from '../../../../src/localnet/network.ts'
import { startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { flagUnresolvable } from '../../../../src/payments/store/settlements/due.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { openStore } from '../../../../src/platform/database/open.ts'
import { noPgBouncer, startPgBouncer } from '../../../support/pgbouncer.ts'
import { bareDatabase, freshDatabase } from '../../../support/postgres.ts'
import { administer } from '../../../support/postgres-server.ts'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import { addChannels, keyOf, submit } from '../../payments/store/builders.ts'
import {
  type AdminWorld,
  network,
  newSponsor,
  openAdminWorld,
  type Ran,
  run,
  type Sponsor,
  type Variables,
  XLM,
} from '../admin-world.ts'
import { runHere } from '../run-here.ts'

/** Less than the doctor takes for a network that has stopped. */
const BEHIND_MS = 20_000
/** More than there are tests. */
const FUNDED = 20
const upto = { TESTNET_UPTO_CONTRACT: uptoContract(passphrases[network]) }

let world: AdminWorld
/** Has its channels and its authority; no test changes it. */
let healthy: Sponsor
let others: Sponsor[]
/** Has XLM and nothing else; another one in each test. */
let sponsor: Sponsor
beforeAll(async () => {
  // Its clock is behind, because its ledgers close faster than the clock goes: the doctor reports ledgers of the future.
  const clock = { ...systemClock, now: () => Date.now() - BEHIND_MS }
  world = await openAdminWorld({ clock })
  ;[healthy, ...others] = (await world.funded(FUNDED, 100n * XLM)) as [Sponsor, ...Sponsor[]]
  expect(await runHere(world.env(healthy, upto), 'provision')).toMatchObject({ code: 0 })
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => {
  sponsor = others.pop()!
})

const doctorOf = (of: Sponsor, changes: Variables = {}, ...args: string[]) =>
  runHere(world.env(of, changes), 'doctor', ...args)
const doctor = (changes: Variables = {}, ...args: string[]) => doctorOf(sponsor, changes, ...args)

const found = ({ lines }: Ran, check: string) => lines.find((line) => line.check === check)

/** The names of the checks with one of these results. */
const withStatus = ({ lines }: Ran, ...statuses: string[]): string[] =>
  lines.filter(({ status }) => statuses.includes(status)).map(({ check }) => check)

describe('svc doctor', () => {
  test('finds no problem in a healthy service, and makes every check in order', async () => {
    const ran = await run(world.env(healthy, upto), 'doctor')
    // On a busy machine the round trip to Postgres takes long, which is worth a warning.
    const unwell = withStatus(ran, 'problem', 'skipped', 'warning')
    expect(unwell.filter((check) => check !== 'store-latency')).toEqual([])
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.lines.map(({ check }) => check)).toEqual(checkNames)
    expect(found(ran, 'store')).toEqual({
      network: null,
      check: 'store',
      status: 'ok',
      says: expect.stringMatching(/^Postgres \d/),
      todo: null,
    })
    expect(found(ran, 'channels')).toMatchObject({ network, says: '2 of 2 are on the ledger' })
  })

  test('finds a problem in a network without a channel, also where the service creates them', async () => {
    const ran = await doctor()
    expect(ran.code).toBe(1)
    expect(withStatus(ran, 'problem')).toEqual(['channels'])
    expect(found(ran, 'channels')).toMatchObject({
      says: 'the sponsor has no channel: no payment can be settled',
      todo: 'svc provision, or start or restart the service',
    })
  })

  test('prints the same with --json, and reads only the network that --network names', async () => {
    const ran = await doctor({}, '--json', '--network', network)
    expect(new Set(ran.lines.map((line) => line.network))).toEqual(new Set([null, network]))
    const other = await doctor({}, '--network', 'stellar:pubnet')
    expect(other).toMatchObject({ code: 64, out: '' })
    expect(other.err).toContain('not among the configured')
  })

  test('writes nothing: of a read-only database it says so, and no table is created', async () => {
    await using database = await bareDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await administer(database.url, `alter database ${name} set default_transaction_read_only = on`)
    const ran = await doctorOf(healthy, { DATABASE_URL: database.url })
    expect(ran.code).toBe(1)
    expect(found(ran, 'store').says).toMatch(/^Postgres \S+ is read-only, as a standby is$/)
    expect(withStatus(ran, 'problem')).toEqual(['store'])
    expect(withStatus(ran, 'skipped')).toEqual([
      'store-latency',
      'store-clock',
      'store-pooler',
      'store-timeout',
      'schema',
      'tables',
      'sponsor-runway',
      'channel-keys',
      'channel-states',
      'channel-sequences',
      'other-sponsors',
      'settlements',
      'unresolvable',
    ])
    await using store = await openStore({ kind: 'postgres', url: database.url })
    expect(await store.pendingMigrations()).toContain('0001-payments')
  })

  test('still checks the ledger when the database is gone', async () => {
    const ran = await doctorOf(healthy, { DATABASE_URL: 'postgres://svc:hush@127.0.0.1:1/x' })
    expect(ran.code).toBe(1)
    expect(withStatus(ran, 'problem')).toEqual(['store'])
    expect(found(ran, 'store')).toMatchObject({
      says: 'Nothing accepts connections at 127.0.0.1:1 (connection refused)',
      todo: 'start Postgres there, or correct host and port in DATABASE_URL',
    })
    expect(found(ran, 'sponsor')).toMatchObject({ status: 'ok', says: healthy.address })
  })

  test('warns of a connection pooler, and of what it withholds', async ({ skip }) => {
    if (noPgBouncer !== undefined) return skip(noPgBouncer)
    await using database = await freshDatabase()
    await using bouncer = await startPgBouncer({ serverUrl: database.url })
    const DATABASE_URL = bouncer.through(database.url)
    const pooled = await doctorOf(healthy, { DATABASE_URL })
    expect(found(pooled, 'store-pooler')).toMatchObject({ status: 'warning' })
    expect(found(pooled, 'store-timeout')).toMatchObject({ status: 'warning' })
    expect(found(pooled, 'tables').says).toMatch(/^\d+ tables under 1 MiB$/)

    const direct = await doctorOf(healthy, { DATABASE_URL, DATABASE_DIRECT_URL: database.url })
    expect(found(direct, 'store-pooler')).toMatchObject({ status: 'ok' })
    expect(found(direct, 'store-timeout').todo).toMatch(/^alter role "postgres" set/)

    await using another = await freshDatabase()
    const wrong = await doctorOf(healthy, { DATABASE_URL, DATABASE_DIRECT_URL: another.url })
    expect(withStatus(wrong, 'problem')).toEqual(['store-pooler'])
  })

  test('exits 78 and lists every problem of the configuration', async () => {
    const ran = await doctor({ TESTNET_RPC_URL: undefined, PORT: 'none' })
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toMatch(/^ {2}PORT /m)
    expect(ran.err).toMatch(/^ {2}TESTNET_RPC_URL /m)
  })

  test('does not wait for an endpoint that never answers', async () => {
    await using proxy = await startRpcProxy()
    proxy.forwardTo(world.localnet.httpUrl)
    proxy.fail('*', { kind: 'hang' })
    const TESTNET_RPC_URL = `${proxy.url},${world.localnet.httpUrl}`
    const one = await doctorOf(healthy, { TESTNET_RPC_URL }, '--timeout', '2s')
    expect(one.code).toBe(0)
    expect(found(one, 'rpc')).toMatchObject({ status: 'warning' })
    expect(found(one, 'sponsor').status).toBe('ok')

    const none = await doctorOf(healthy, { TESTNET_RPC_URL: proxy.url }, '--timeout', '2s')
    expect(none.code).toBe(1)
    expect(found(none, 'rpc')).toMatchObject({ status: 'problem' })
    expect(found(none, 'sponsor')).toMatchObject({ status: 'skipped', says: 'after rpc' })
    expect(found(none, 'unresolvable').status).toBe('ok')
  })

  test('does not wait for an endpoint that answers no request for ledger entries', async () => {
    await using proxy = await startRpcProxy()
    proxy.forwardTo(world.localnet.httpUrl)
    proxy.fail('getLedgerEntries', { kind: 'hang' })
    const ran = await doctor({ TESTNET_RPC_URL: proxy.url }, '--timeout', '2s')
    expect(ran.code).toBe(1)
    expect(found(ran, 'rpc').status).toBe('ok')
    expect(withStatus(ran, 'problem')).toEqual(['sponsor', 'contracts'])
  })

  test('does not wait for a database that hangs', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    await store.migrate()
    const released = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = store.db.transaction().execute(async (transaction) => {
      await transaction.schema.alterTable('channels').addColumn('held', 'int4').execute()
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const ran = await doctor({ DATABASE_URL: database.url }, '--timeout', '2s')
    released.resolve()
    await holding
    expect(ran.code).toBe(1)
    expect(found(ran, 'store').status).toBe('ok')
    expect(found(ran, 'other-sponsors').status).toBe('problem')
    expect(found(ran, 'sponsor').status).toBe('ok')
  })

  test('finds an endpoint of another network', async () => {
    await using other = await startLocalnetServer({
      network: new Localnet({ passphrase: 'another network' }),
      closeEveryMs: 'manual',
    })
    const ran = await doctor({ TESTNET_RPC_URL: `${world.localnet.httpUrl},${other.httpUrl}` })
    expect(ran.code).toBe(1)
    expect(found(ran, 'rpc-network').says).toContain('serves "another network"')
  })

  test('finds what the sponsor lacks', async () => {
    const absent = newSponsor()
    const unfunded = await doctor({ TESTNET_SPONSOR_SECRET: absent.secret })
    expect(found(unfunded, 'sponsor')).toMatchObject({
      status: 'problem',
      todo: `send XLM to ${absent.address}`,
    })
    expect(found(unfunded, 'sponsor-balance').status).toBe('skipped')
    const poor = await doctor({ MIN_SPONSOR_BALANCE_XLM: '101' })
    expect(found(poor, 'sponsor-balance').says).toContain('of MIN_SPONSOR_BALANCE_XLM')
    const poorer = await doctor({ SPONSOR_RESERVE_XLM: '101' })
    expect(found(poorer, 'sponsor-balance').says).toContain('settlements are refused')
  })

  test('finds channels about which seed, store and ledger disagree', async () => {
    await runHere(world.env(sponsor), 'provision')
    const own = world.store.db.updateTable('channels').where('sponsor', '=', sponsor.address)
    await own.set({ sequence: 7n }).where('index', '=', 1).execute()
    expect(found(await doctor(), 'channel-sequences')).toMatchObject({
      status: 'warning',
      says: 'differ from those on the ledger: channel 1',
    })
    await own.set({ state: 'retired' }).where('index', '=', 0).execute()
    expect(found(await doctor(), 'channel-states').says).toBe('retired: 0')
    const more = await doctor({ CHANNEL_COUNT: '3' })
    expect(found(more, 'channels')).toMatchObject({
      status: 'warning',
      says: '2 of 3 are on the ledger',
    })
    const { account } = await world.store.db
      .selectFrom('channels')
      .select('account')
      .where('sponsor', '=', sponsor.address)
      .where('index', '=', 1)
      .executeTakeFirstOrThrow()
    await own
      .set({ account: `${account.slice(0, -1)}?` })
      .where('index', '=', 1)
      .execute()
    expect(found(await doctor(), 'channel-keys')).toMatchObject({ status: 'problem' })
  })

  test('finds channels of an earlier sponsor, a missing contract, and an unresolvable settlement', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    const DATABASE_URL = database.url
    await runHere(world.env(sponsor, { DATABASE_URL }), 'provision')
    const next = others.pop()!
    await addChannels(store, 1)
    await submit(store, '1')
    await flagUnresolvable(store.db, keyOf('1'), 'the network forgot the ledgers', 60_000)
    const ran = await doctor({
      DATABASE_URL,
      TESTNET_SPONSOR_SECRET: next.secret,
      TESTNET_ASSETS: 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75:USDC:7',
    })
    expect(ran.code).toBe(1)
    expect(found(ran, 'other-sponsors').says).toContain(sponsor.address)
    expect(found(ran, 'contracts')).toMatchObject({
      says: expect.stringMatching(/^contract C\w+ \(USDC\) is not on the ledger/),
      todo: expect.stringMatching(/^correct TESTNET_ASSETS /),
    })
    expect(found(ran, 'unresolvable')).toMatchObject({ status: 'problem' })
  })

  test('skips what only the service knows with STORE=memory', async () => {
    const ran = await doctorOf(healthy, { STORE: 'memory', DATABASE_URL: undefined })
    expect(ran.code).toBe(0)
    expect(found(ran, 'store').status).toBe('warning')
    expect(found(ran, 'settlements')).toMatchObject({ status: 'skipped' })
  })

  test('warns of a secret file that every user may read, and never prints a secret', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
    const file = join(folder, 'seed')
    writeFileSync(file, sponsor.secret)
    chmodSync(file, 0o644)
    await using proxy = await startRpcProxy()
    const key = 'rpc-key-that-is-secret'
    const env = world.env(sponsor, {
      TESTNET_SPONSOR_SECRET: undefined,
      TESTNET_SPONSOR_SECRET_FILE: file,
      TESTNET_RPC_URL: `${proxy.url}/${key}?token=${key}`,
      DATABASE_URL: 'postgres://svc:hushhush@127.0.0.1:1/x?application_name=hushhush',
    })
    const ran = await run(env, 'doctor')
    chmodSync(file, 0o602)
    const written = await doctor({
      TESTNET_SPONSOR_SECRET: undefined,
      TESTNET_SPONSOR_SECRET_FILE: file,
    })
    rmSync(folder, { recursive: true })
    expect(found(ran, 'secret-files')).toMatchObject({
      status: 'warning',
      todo: `chmod 600 ${file}`,
    })
    for (const secret of [sponsor.secret, key, 'hushhush']) {
      expect(ran.out + ran.err).not.toContain(secret)
    }
    expect(found(written, 'secret-files').status).toBe('problem')
  })
})
