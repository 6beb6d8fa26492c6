import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { connectionOf } from '../../../src/platform/database/postgres/connection.ts'
import { problemsOf } from './serve-environment.ts'

const base = 'postgres://svc:p%40ss@db.example:6432/x402'
const readable = fileURLToPath(import.meta.url)
const ca = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----'

describe('a URL that the driver throws for', () => {
  test.each([
    {
      url: `${base}?ssl=false`,
      says: /^is a URL with an unknown value of ssl: .* sslmode=disable/,
    },
    { url: `${base}?ssl=yes`, says: /unknown value of ssl/ },
    { url: `${base}?ssl=true&ssl=off`, says: /unknown value of ssl/ },
    { url: `${base}?sslnegotiation=fast`, says: /unknown value of sslnegotiation/ },
    { url: `${base}?sslnegotiation=direct&ssl=0`, says: /sslnegotiation=direct and without TLS/ },
    { url: `${base}?sslnegotiation=direct&sslmode=disable`, says: /without TLS: leave one/ },
    { url: `${base}?uselibpqcompat=true&sslmode=verify-ca`, says: /no certificate authority/ },
    { url: `${base}?sslrootcert=/nothing`, says: /whose sslrootcert names a file that cannot be/ },
    { url: `${base}?sslkey=/nothing`, says: /whose sslkey names a file/ },
    { url: `${base}?port=abc`, says: /a port that is no number/ },
    { url: `${base}?port=99999`, says: /a port that is no number/ },
    { url: `${base}?query_timeout=soon`, says: /a query_timeout that is no whole number/ },
    { url: `${base}?statement_timeout=-1`, says: /a statement_timeout that is no whole/ },
    { url: 'postgres://svc:p%ff@db.example/x402', says: /a password that cannot be decoded/ },
    { url: 'postgres://db.example/x%ff', says: /a database name that cannot be decoded/ },
    { url: 'postgres://%ff/x402', says: /a host that cannot be decoded/ },
  ])('$url is one problem of its variable', ({ url, says }) => {
    const own = problemsOf({ DATABASE_URL: url })
    expect(own).toEqual([expect.stringMatching(/^DATABASE_URL /)])
    expect(own[0]?.replace('DATABASE_URL ', '')).toMatch(says)
    for (const variable of ['DATABASE_DIRECT_URL', 'EXPLORER_DATABASE_URL']) {
      expect(problemsOf({ [variable]: url })).toEqual([own[0]?.replace('DATABASE_URL', variable)])
    }
    expect(own[0]).not.toContain(url)
  })
})

describe('a URL that the driver takes', () => {
  test.each([
    { url: base, changes: {} },
    { url: `${base}?ssl=0`, changes: {} },
    { url: `${base}?ssl=true&sslnegotiation=direct`, changes: {} },
    { url: `${base}?ssl=no-verify`, changes: {} },
    { url: `${base}?ssl=false&sslmode=disable`, changes: {} },
    { url: `${base}?sslmode=require&channel_binding=require&connect_timeout=10`, changes: {} },
    { url: `${base}?port=5432&query_timeout=5000`, changes: {} },
    { url: 'postgres://svc:p%zz@db.example/x402', changes: {} },
    { url: `${base}?sslrootcert=${readable}`, changes: {} },
    { url: `${base}?uselibpqcompat=true&sslmode=verify-ca`, changes: { DATABASE_CA: ca } },
    { url: `${base}?sslnegotiation=direct&ssl=yes`, changes: { DATABASE_CA: ca } },
  ])('$url is no problem', ({ url, changes }) => {
    expect(problemsOf({ DATABASE_URL: url, ...changes })).toEqual([])
    const client = new pg.Client(connectionOf({ url, ca: changes.DATABASE_CA }))
    expect(typeof client.ssl).not.toBe('string')
    if (changes.DATABASE_CA !== undefined) expect(client.ssl).toMatchObject({ ca })
  })
})
