import { expect, test } from 'vitest'
import { urlOfOthers } from '../../../../src/platform/core/postgres-url.ts'

const base = 'postgres://svc:p%40ss@db.example:6432/x402'

test.each([
  { what: 'without parameters', url: base, given: base },
  {
    what: 'with those of TLS and of a pooler',
    url: `${base}?sslmode=require&channel_binding=require&pgbouncer=true&options=-c%20x=y`,
    given: `${base}?sslmode=require&options=-c+x%3Dy`,
  },
  {
    what: 'that lifts the time limits',
    url: `${base}?query_timeout=99999999&statement_timeout=0&replication=database&ssl=true`,
    given: `${base}?ssl=true`,
  },
])('a URL $what is given to the driver as far as that may have it', ({ url, given }) => {
  expect(urlOfOthers(url, { hasCa: false })).toEqual({ url: given })
})

test.each([
  { url: `${base}?sslrootcert=/proc/self/environ`, says: /sslrootcert, a file .* caSecretRef/ },
  { url: `${base}?sslmode=verify-full&sslkey=/etc/key`, says: /sslkey, a file/ },
  ...['sslcrl', 'sslcrldir', 'passfile', 'service', 'servicefile'].map((name) => ({
    url: `${base}?${name}=/etc/key`,
    says: new RegExp(`${name}, a file`),
  })),
  { url: `${base}?%73slcert=/etc/cert`, says: /sslcert, a file/ },
  { url: `${base}?host=/var/run/postgresql`, says: /of a socket/ },
  { url: 'postgres://%2Fvar%2Frun/x402', says: /of a socket/ },
  { url: 'postgres://%zz/x402', says: /host that cannot be decoded/ },
  // The driver throws from a listener for these, which ends the process.
  { url: `${base}?ssl=yes`, says: /unknown value of ssl/ },
  { url: `${base}?ssl=true&ssl=false`, says: /unknown value of ssl/ },
])('refuses $url', ({ url, says }) => {
  expect(urlOfOthers(url, { hasCa: false })).toEqual({ refused: expect.stringMatching(says) })
})
