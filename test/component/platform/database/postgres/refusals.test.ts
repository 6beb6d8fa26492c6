import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../../../../src/platform/database/open.ts'
import { StoreUnavailable } from '../../../../../src/platform/database/postgres/unavailable.ts'
import { SchemaNewer } from '../../../../../src/platform/database/schema-newer.ts'
import { freePort } from '../../../../support/free-port.ts'
import {
  type RefusingPostgres,
  startRefusingPostgres,
} from '../../../../support/refusing-postgres.ts'

let postgres: RefusingPostgres
let server: string
let secret: string
/** Address of a web server. */
let web: string
const webServer = createServer()
beforeAll(async () => {
  postgres = await startRefusingPostgres()
  server = new URL(postgres.url).host
  secret = new URL(postgres.url).password
  await postgres.run("create role app login password 'hush'")
})
afterAll(() => postgres[Symbol.asyncDispose]())
beforeAll(async () => {
  await once(webServer.listen(0, '127.0.0.1'), 'listening')
  const address = webServer.address()
  web = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => webServer.close())

const app = (changes: Parameters<RefusingPostgres['at']>[0] = {}): string =>
  postgres.at({ username: 'app', password: 'hush', ...changes })

/** The error of a migration; its message names no password. */
async function refusalAt(url: string, directUrl?: string): Promise<StoreUnavailable> {
  await using store = await openStore({
    kind: 'postgres',
    url,
    directUrl,
    poolSize: 1,
    connectTimeoutMs: 20_000,
  })
  const fault = await store.migrate().then(
    () => 'migrated',
    (error: unknown) => error,
  )
  if (!(fault instanceof StoreUnavailable)) throw new Error('not refused', { cause: fault })
  for (const password of [secret, 'hush']) expect(fault.message).not.toContain(password)
  return fault
}

interface Case {
  readonly when: string
  readonly url: () => string | Promise<string>
  readonly says: RegExp
  readonly isLasting: boolean
}

const LASTS = { isLasting: true }
const MAY_RECOVER = { isLasting: false }

describe('Postgres, or the way to it, refuses in two sentences:', () => {
  test.each<Case>([
    {
      when: 'no such database',
      url: () => app({ pathname: '/missing' }),
      says: /^Postgres at SERVER has no database "missing"\. Create it \(createdb missing\), or /,
      ...LASTS,
    },
    {
      when: 'a wrong password',
      url: () => app({ password: 'wrong' }),
      says: /^Postgres at SERVER refuses the password of role "app", or has no such role\. Correct user and password in DATABASE_URL;/,
      ...LASTS,
    },
    {
      when: 'an unknown role',
      url: () => app({ username: 'nobody' }),
      says: /^Postgres at SERVER refuses the password of role "nobody", or has no such role\. /,
      ...LASTS,
    },
    {
      when: 'an unknown role where no password is asked for',
      url: async () => {
        await postgres.allow('host all trusted 127.0.0.1/32 trust')
        return app({ username: 'trusted' })
      },
      says: /^Postgres at SERVER has no role "trusted"\. Create it \(createuser --pwprompt trusted\)/,
      ...LASTS,
    },
    {
      when: 'no password',
      url: () => app({ password: '' }),
      says: /^Postgres at SERVER asks for a password of role "app", and DATABASE_URL has none\. Add it, as in postgres:\/\/app:PASSWORD@SERVER\/postgres/,
      ...LASTS,
    },
    {
      when: 'a host that is unknown',
      url: () => app({ host: 'no-such-host.invalid:5432' }),
      says: /^(No DNS server knows|DNS does not answer for) the host "no-such-host\.invalid" of DATABASE_URL\. /,
      ...MAY_RECOVER,
    },
    {
      when: 'a refused connection',
      url: async () => app({ host: `localhost:${await freePort()}` }),
      says: /^Nothing accepts connections at localhost:\d+ \(connection refused\)\. Start Postgres there, or correct host and port in DATABASE_URL\.$/,
      ...MAY_RECOVER,
    },
    {
      when: 'another program at the port',
      url: () => app({ host: web }),
      says: /^The connection to 127\.0\.0\.1:\d+ ended without an answer\. Try again; if it stays so, see that Postgres, and no other program, listens there/,
      ...MAY_RECOVER,
    },
    {
      when: 'TLS that is not offered',
      url: () => app({ search: '?sslmode=verify-full' }),
      says: /^Postgres at SERVER offers no TLS, and DATABASE_URL requires it\. Turn on ssl/,
      ...LASTS,
    },
    {
      when: 'a CA file that does not exist',
      url: () => app({ search: '?sslmode=verify-full&sslrootcert=/missing.crt' }),
      says: /^DATABASE_URL names a certificate or key that cannot be read \(.*\/missing\.crt.*\)\. Correct sslrootcert/,
      ...LASTS,
    },
    {
      when: 'TLS that is required',
      url: async () => {
        await postgres.run('create role private login')
        await postgres.allow('hostnossl all private 127.0.0.1/32 reject')
        return app({ username: 'private' })
      },
      says: /^Postgres at SERVER accepts no connection (without TLS )?of role "private" to database "postgres" from this machine\. /,
      ...LASTS,
    },
    {
      when: 'no right to create tables, the default since Postgres 15',
      url: async () => {
        await postgres.run('create database bare')
        return app({ pathname: '/bare' })
      },
      says: /^Role "app" may not create tables in database "bare" of SERVER \(permission denied for schema public\)\. As the owner of the database, run: grant usage, create on schema public to "app"\.$/,
      ...LASTS,
    },
    {
      when: 'a table of another application',
      url: async () => {
        await postgres.run('create database shop owner app')
        await postgres.run('create table settlements (id int)', 'shop')
        return app({ pathname: '/shop' })
      },
      says: /^Database "shop" of SERVER belongs to another application \(relation "settlements" already exists\)\. Use a database for svc alone/,
      ...LASTS,
    },
    {
      when: 'too many connections',
      url: async () => {
        await postgres.run('create role busy login password $$hush$$ connection limit 0')
        return app({ username: 'busy' })
      },
      says: /^Postgres at SERVER accepts no more connections \(too many connections for role "busy"\)\. /,
      ...MAY_RECOVER,
    },
    {
      when: 'a read-only server',
      url: async () => {
        await postgres.run('create database standby owner app')
        await postgres.run('alter database standby set default_transaction_read_only = on')
        return app({ pathname: '/standby' })
      },
      says: /^Postgres at SERVER is read-only, as a standby is\. Make DATABASE_URL lead to the primary/,
      ...MAY_RECOVER,
    },
  ])('$when', async ({ url, says, isLasting }) => {
    const { message, refusal } = await refusalAt(await url())
    expect(message.replaceAll(server, 'SERVER')).toMatch(says)
    expect(refusal?.isLasting).toBe(isLasting)
  })

  test('a URL without the pooler is named as such', async () => {
    await postgres.run('create database pooled owner app')
    const pooled = app({ pathname: '/pooled' })
    const { message } = await refusalAt(pooled, app({ pathname: '/pooled', password: 'wrong' }))
    expect(message).toContain('Correct user and password in DATABASE_DIRECT_URL;')
  })
})

describe('a server with TLS', () => {
  let certificate: string
  beforeAll(async () => {
    certificate = await postgres.offerTls('db.example')
    await postgres.allow('hostnossl all tls 127.0.0.1/32 reject')
    await postgres.run("create role tls login password 'hush'")
    await postgres.run('create database encrypted owner tls')
  })
  const tls = (search: string) => app({ username: 'tls', pathname: '/encrypted', search })

  test('says that its certificate is not trusted', async () => {
    const { message } = await refusalAt(tls('?sslmode=verify-full'))
    expect(message).toMatch(
      /^The TLS certificate of Postgres at .* is not trusted \(self-signed certificate\)\. Name the file of its CA in DATABASE_CA_FILE, or in &sslrootcert=FILE of DATABASE_URL\.$/,
    )
  })

  test('says that its certificate is for another host', async () => {
    const { message } = await refusalAt(tls(`?sslmode=verify-full&sslrootcert=${certificate}`))
    expect(message).toMatch(/^The TLS certificate of Postgres at .* is for another host name\. /)
  })
})

test('a database whose migrations are those of another application is not called newer', async () => {
  await postgres.run('create database blog owner app')
  await postgres.run('create table kysely_migration (name text, timestamp text)', 'blog')
  await postgres.run("insert into kysely_migration values ('001-posts', 'now')", 'blog')
  await postgres.run('grant select on kysely_migration to app', 'blog')
  await using store = await openStore({ kind: 'postgres', url: app({ pathname: '/blog' }) })
  await expect(store.migrate()).rejects.toThrow(SchemaNewer)
  await expect(store.migrate()).rejects.toThrow(/another application \(001-posts\): use a database/)
})

test('a server that stops says so, as one that starts does', async () => {
  await using own = await startRefusingPostgres()
  const client = await own.beginStop()
  // The signal reaches the server a moment later.
  await expect
    .poll(
      () =>
        refusalAt(own.url).then(
          (refusal) => refusal.message,
          () => '',
        ),
      { timeout: 120_000 },
    )
    .toMatch(
      /^Postgres at .* does not accept connections yet \(the database system is shutting down\)\. Try again in a moment\.$/,
    )
  await client.end()
})
