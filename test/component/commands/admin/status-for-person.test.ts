import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../../../src/platform/database/open.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import { addChannels, submit } from '../../payments/store/builders.ts'
import {
  type AdminWorld,
  network,
  newSponsor,
  openAdminWorld,
  type Variables,
  XLM,
} from '../admin-world.ts'
import { runHere } from '../run-here.ts'

let world: AdminWorld
const sponsor = newSponsor()
beforeAll(async () => {
  world = await openAdminWorld()
  await world.fund(sponsor, 100n * XLM)
})
afterAll(() => world[Symbol.asyncDispose]())

const svc = (changes: Variables, ...args: string[]) => runHere(world.env(sponsor, changes), ...args)

test('svc status --human prints a table, --json the line of scripts', async () => {
  await using database = await freshDatabase()
  const DATABASE_URL = database.url
  await svc({ DATABASE_URL }, 'provision')
  await using store = await openStore({ kind: 'postgres', url: DATABASE_URL })
  await addChannels(store, 1)
  await submit(store, '1')
  const human = await svc({ DATABASE_URL }, 'status', '--human')
  expect(human).toMatchObject({ code: 0, err: '' })
  const [title, ...rows] = human.out.trimEnd().split('\n')
  expect(title).toBe(network)
  expect(rows).toEqual([
    `  sponsor      ${sponsor.address}`,
    expect.stringMatching(/^ {2}balance {6}99\.\d+ XLM, of which 9\d\.\d+ may be withdrawn$/),
    '  channels     2 of 2 on the ledger, 2 active',
    '  leased       1 in use by payments',
    '  settlements  1 unfinished (0 claimed, 1 submitted)',
    '  schema       up to date',
    expect.stringMatching(/^ {2}ledger {7}\d+$/),
  ])
  const scripts = await svc({ DATABASE_URL }, 'status')
  expect(scripts.lines).toHaveLength(1)
  expect((await svc({ DATABASE_URL }, 'status', '--json', '--human')).lines).toEqual(scripts.lines)
})

test('svc status does not wait for endpoints that hang, names them, and still prints its line', async () => {
  await using proxy = await startRpcProxy()
  proxy.forwardTo(world.localnet.httpUrl)
  proxy.fail('*', { kind: 'hang' })
  const { host } = new URL(proxy.url)
  const none = await svc({ TESTNET_RPC_URL: proxy.url }, 'status', '--timeout', '1s')
  expect(none.code).toBe(1)
  expect(none.lines).toMatchObject([
    {
      ok: false,
      ledger: null,
      channels: { active: 0 },
      problems: [
        `no RPC endpoint answered (${host}: no answer within 1000 ms): nothing can be verified or settled; see that TESTNET_RPC_URL is right and reachable from this machine`,
      ],
    },
  ])
  const one = await svc({ TESTNET_RPC_URL: `${proxy.url},${world.localnet.httpUrl}` }, 'status')
  expect(one).toMatchObject({ code: 0, lines: [{ ok: true, sponsor: sponsor.address }] })
  expect(one.err).toBe(`svc status: ${network}: not used: ${host}: no answer within 5000 ms\n`)
})

test('svc status says what it lacks in a table, too', async () => {
  const { out } = await svc({ DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 'status', '--human')
  expect(out).toMatch(/^ {2}settlements {2}unknown$/m)
  expect(out).toMatch(/^ {2}problem {6}Nothing accepts connections at 127\.0\.0\.1:1 /m)
})

test('svc doctor --human prints its table', async () => {
  const { out } = await svc({}, 'doctor', '--human')
  expect(out).toMatch(/^The service\n {2}ok {7}configuration /)
})
