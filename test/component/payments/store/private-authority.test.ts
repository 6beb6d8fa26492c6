import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../../src/demo/postgres/embedded-postgres.ts'
import { createCertificate } from '../../../../src/localnet/server/certificate.ts'
import { openStore } from '../../../../src/platform/database/open.ts'
import { connectionOf } from '../../../../src/platform/database/postgres/connection.ts'
import { routeOf } from '../../../../src/platform/database/postgres/route.ts'
import { StoreUnavailable } from '../../../../src/platform/database/postgres/unavailable.ts'
import { loadMigrateConfig } from '../../../../src/settings/migrate.ts'

let server: EmbeddedPostgres
let ca: string
let other: string

beforeAll(async () => {
  server = await startEmbeddedPostgres()
  const certificate = await createCertificate(Date.now(), 1)
  ca = certificate.authority
  other = (await createCertificate(Date.now(), 1)).authority
  await using store = await openStore({ kind: 'postgres', url: server.url })
  const { rows } = await sql<{ data_directory: string }>`show data_directory`.execute(store.db)
  const folder = rows[0]?.data_directory ?? ''
  const { uid, gid } = await stat(folder)
  const files = { 'server.crt': certificate.cert, 'server.key': certificate.key }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o600 })
    await chown(join(folder, name), uid, gid)
  }
  await sql`alter system set ssl = on`.execute(store.db)
  await sql`select pg_reload_conf()`.execute(store.db)
  // The server reads its configuration a moment later.
  await vi.waitFor(() => isEncrypted(server.url, ca), { timeout: 120_000, interval: 50 })
})

afterAll(() => server.close())

async function isEncrypted(url: string, authority: string | undefined): Promise<boolean> {
  await using store = await openStore({ kind: 'postgres', url, ca: authority })
  const { rows } = await sql<{ ssl: boolean }>`
    select ssl from pg_stat_ssl where pid = pg_backend_pid()
  `.execute(store.db)
  return rows[0]?.ssl ?? false
}

describe('a database whose certificate a private authority signed', () => {
  test('is reached over TLS with that authority, whatever sslmode the URL has', async () => {
    const withMode = (mode: string) => `${server.url}?sslmode=${mode}`
    expect(await isEncrypted(server.url, ca)).toBe(true)
    expect(await isEncrypted(withMode('require'), ca)).toBe(true)
    expect(await isEncrypted(withMode('verify-ca'), ca)).toBe(true)
    expect((await routeOf({ url: withMode('require'), ca }, 'DATABASE_URL')).isDirect).toBe(true)
    await using store = await openStore({
      kind: 'postgres',
      url: server.url,
      directUrl: server.url,
      ca,
    })
    expect(await store.migrate()).not.toEqual([])
  })

  test('is refused with the public authorities, or with another one', async () => {
    const refused = (url: string, authority?: string) => expect(isEncrypted(url, authority)).rejects
    await refused(server.url, other).toBeInstanceOf(StoreUnavailable)
    await refused(`${server.url}?sslmode=require`).toMatchObject({
      refusal: { todo: expect.stringContaining('DATABASE_CA_FILE') },
    })
  })

  test('is not trusted under another host name, unless the URL has verify-ca', () => {
    const url = 'postgres://svc@db.example/x402'
    expect(connectionOf({ url, ca }).ssl).toEqual({ ca })
    expect(connectionOf({ url: `${url}?sslmode=verify-ca`, ca }).ssl).toMatchObject({
      checkServerIdentity: expect.any(Function),
    })
  })

  test('is configured by a file of DATABASE_CA_FILE', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-ca-'))
    const variables = { DATABASE_URL: server.url, DATABASE_CA_FILE: join(folder, 'ca.crt') }
    await writeFile(variables.DATABASE_CA_FILE, ca)
    expect(loadMigrateConfig(variables).store).toMatchObject({ ca: ca.trim() })
    await writeFile(variables.DATABASE_CA_FILE, 'no certificate')
    expect(() => loadMigrateConfig(variables)).toThrow(/PEM/)
    await rm(folder, { recursive: true })
  })
})
