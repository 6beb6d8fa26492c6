import { z } from 'zod'
import { isPostgresUrl } from '../../platform/core/postgres-url.ts'
import { choice, integer } from './kinds.ts'
import { settingsTable } from './row.ts'

export const EXAMPLE_URL = 'postgres://user:password@host:5432/database'

export const postgresUrl = z
  .string()
  .superRefine((text, context) => {
    if (isPostgresUrl(text)) return
    const message = /^postgres(ql)?:\/\//.test(text)
      ? `is not a valid URL: in ${EXAMPLE_URL}, write @ : / ? # % of a password as %40 %3A %2F %3F %23 %25`
      : `must be a URL that starts with postgres://, such as ${EXAMPLE_URL}`
    context.addIssue({ code: 'custom', message })
  })
  .optional()

const certificates = z
  .string()
  .refine((text) => text.includes('-----BEGIN CERTIFICATE-----'), {
    error: 'must be certificates in PEM, which begin with -----BEGIN CERTIFICATE-----',
  })
  .optional()

export const storeSettings = settingsTable({
  STORE: {
    help: 'Where settlements and channels are stored. `memory` is for development: it loses everything at a restart and serves one replica only.',
    ...choice(['postgres', 'memory'], 'postgres'),
  },
  DATABASE_URL: {
    help: 'URL of the Postgres database.',
    secret: true,
    schema: postgresUrl,
    fallback: 'required with `STORE=postgres`',
    range: 'a postgres:// URL',
  },
  DATABASE_DIRECT_URL: {
    help: 'With a connection pooler in `DATABASE_URL`: URL of the same database without it, for migrations and notifications.',
    secret: true,
    schema: postgresUrl,
    fallback: 'none',
    range: 'a postgres:// URL',
  },
  DATABASE_CA: {
    help: "Certificate authority of the database's TLS certificate, in PEM. With it every connection uses TLS and verifies the certificate and its host name; `sslmode=verify-ca` in the URL leaves out the host name.",
    secret: true,
    schema: certificates,
    fallback: 'the URL decides',
    range: 'PEM',
  },
  DATABASE_POOL_SIZE: {
    help: 'Maximum database connections of one replica.',
    crd: {
      path: 'database.poolSize',
      presence: 'optional',
      description: 'Maximum connections of one pod; 10 when absent.',
    },
    ...integer(1, 1_000, 10),
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    help: 'Postgres cancels a statement that takes longer.',
    ...integer(100, 600_000, 10_000),
  },
})
