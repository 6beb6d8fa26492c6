import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Localnet } from '../../../../src/localnet/network.ts'
import { startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { bareDatabase } from '../../../support/postgres.ts'
import {
  type AdminWorld,
  newSponsor,
  openAdminWorld,
  run,
  type Sponsor,
  type Variables,
  XLM,
} from '../admin-world.ts'
import { runHere } from '../run-here.ts'

let world: AdminWorld
let sponsor: Sponsor
beforeAll(async () => {
  world = await openAdminWorld()
  sponsor = newSponsor()
  await world.fund(sponsor, 100n * XLM)
  expect((await runHere(world.env(sponsor), 'provision')).code).toBe(0)
})
afterAll(() => world[Symbol.asyncDispose]())

const preflight = (changes: Variables = {}, of = sponsor, ...args: string[]) =>
  runHere(world.env(of, changes), 'preflight', ...args)
const lines = ({ err }: { err: string }) => err.trimEnd().split('\n')

describe('svc preflight', () => {
  test('says nothing and ends with 0 where a facilitator could settle', async () => {
    const ran = await run(world.env(sponsor), 'preflight')
    expect(ran).toMatchObject({ code: 0, out: '', err: '' })
  })

  test('another funded seed could not settle: its sponsor has no channel in this database', async () => {
    const other = newSponsor()
    await world.fund(other, 100n * XLM)
    const ran = await preflight({}, other)
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(lines(ran)).toEqual([
      `svc preflight: stellar:testnet: leasable-channels: the database has no channel of sponsor ${other.address} that a settlement could lease: it has those of another sponsor: put its seed back, or create a ChannelPool with the new seed`,
    ])
    // As in a pool that the spec empties.
    const empty = ['--without-channels', 'stellar:testnet']
    expect(await preflight({}, other, ...empty)).toMatchObject({ code: 0, err: '' })
  })

  test('names a sponsor that is not on the ledger, and writes nothing', async () => {
    const unknown = newSponsor()
    const ran = await preflight({ TESTNET_AUTO_PROVISION_CHANNELS: 'true' }, unknown)
    expect(ran.code).toBe(1)
    expect(lines(ran)).toEqual([
      expect.stringMatching(/^svc preflight: stellar:testnet: sponsor: .* send XLM to G/),
    ])
  })

  test('names a dead endpoint, and one of another network', async () => {
    const dead = await preflight({ TESTNET_RPC_URL: 'http://127.0.0.1:9' })
    expect(dead.code).toBe(1)
    expect(dead.err).toContain(
      'svc preflight: stellar:testnet: rpc: no RPC endpoint answered (127.0.0.1:9',
    )

    const pubnet = await startLocalnetServer({
      network: new Localnet({ passphrase: 'another network' }),
      closeEveryMs: 'manual',
    })
    await using _ = { [Symbol.asyncDispose]: () => pubnet.close() }
    const wrong = await preflight({ TESTNET_RPC_URL: pubnet.httpUrl })
    expect(wrong.code).toBe(1)
    expect(wrong.err).toContain('svc preflight: stellar:testnet: rpc-network: ')
  })

  test('names a database without a schema, and migrates nothing', async () => {
    await using database = await bareDatabase()
    const ran = await preflight({ DATABASE_URL: database.url })
    expect(ran.code).toBe(1)
    expect(lines(ran)).toEqual([
      expect.stringMatching(/^svc preflight: schema: the schema lacks 0001.*: svc migrate brings/),
    ])
    expect((await preflight({ DATABASE_URL: database.url })).err).toBe(ran.err)
  })

  test('a wrong setting ends with 78, as a facilitator does', async () => {
    const ran = await preflight({ TESTNET_RPC_URL: 'nonsense' })
    expect(ran.code).toBe(78)
    expect(ran.err).toContain('TESTNET_RPC_URL')
  })
})
