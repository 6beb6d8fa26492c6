/** Tenants choose the hosts of databases and endpoints. Names of one tenant that never resolve hold no connection of another. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../../../../src/platform/database/open.ts'
import { fetchWithLookup } from '../../../../../src/platform/http/guarded-fetch/fetch-with-lookup.ts'
import { podLookup } from '../../../../../src/platform/http/guarded-fetch/pod-lookup.ts'
import { rpcClient } from '../../../../../src/stellar/rpc/rpc-client.ts'
import { freshDatabase, type TestDatabase } from '../../../../support/postgres.ts'

const asked: string[] = []
const never = new Promise<never>(() => undefined)
const lookup = podLookup({
  hosts: '',
  resolvConf: '',
  resolve: (name) => {
    asked.push(name)
    return name.endsWith('slow.test')
      ? never
      : Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  },
})

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const at = (url: string, hostname: string): string => Object.assign(new URL(url), { hostname }).href
const storeAt = (hostname: string) =>
  openStore({
    kind: 'postgres',
    url: at(database.url, hostname),
    lookup,
    poolSize: 1,
    connectTimeoutMs: 2_000,
  })

test('a database of another tenant is reached', async () => {
  const slow = await Promise.all(Array.from({ length: 20 }, (_, i) => storeAt(`${i}.slow.test`)))
  const failed = Promise.allSettled(slow.map((store) => store.ping()))
  await using store = await storeAt('db.test')
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(store.db)
  expect(rows).toEqual([{ one: 1 }])
  expect((await failed).map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
  expect(asked.filter((name) => name.endsWith('slow.test')).length).toBeGreaterThanOrEqual(20)
  await Promise.all(slow.map((each) => each.close()))
})

test('an endpoint of another tenant is reached', async () => {
  const result = { passphrase: 'a network', protocolVersion: 23 }
  const server = createServer((_, answer) =>
    answer.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result })),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await using own = fetchWithLookup(lookup)
  const { fetch } = own
  const clientAt = (hostname: string, timeoutMs: number) =>
    rpcClient({ url: `http://${hostname}:${port}`, allowHttp: true, timeoutMs, fetch })
  const slow = Array.from({ length: 20 }, (_, i) => clientAt(`${i}.slow.test`, 2_000).passphrase())
  const failed = Promise.allSettled(slow)
  expect(await clientAt('rpc.test', 10_000).passphrase()).toBe('a network')
  expect((await failed).map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
  server.closeAllConnections()
  server.close()
})
