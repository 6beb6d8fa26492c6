import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { driverProblem, filesOf, isPostgresUrl } from '../../platform/core/postgres-url.ts'
import type { Problem } from '../parser/config-error.ts'
import type { ParsedSettings, SettingsOf } from '../parser/settings.ts'
import { choice, integer } from '../parser/values.ts'

/** How to open the store. */
export type StoreConfig =
  | { readonly kind: 'memory' }
  | {
      readonly kind: 'postgres'
      readonly url: string
      /** Of the same database without a connection pooler. */
      readonly directUrl: string | undefined
      /** PEM of the certificate authority of the server; undefined: the public ones. */
      readonly ca: string | undefined
      readonly poolSize: number
      readonly statementTimeoutMs: number
    }

const EXAMPLE = 'postgres://user:password@host:5432/database'

export const postgresUrl = z
  .string()
  .superRefine((text, context) => {
    if (isPostgresUrl(text)) return
    const message = /^postgres(ql)?:\/\//.test(text)
      ? `is not a valid URL: in ${EXAMPLE}, write @ : / ? # % of a password as %40 %3A %2F %3F %23 %25`
      : `must be a URL that starts with postgres://, such as ${EXAMPLE}`
    context.addIssue({ code: 'custom', message })
  })
  .optional()

const certificates = z
  .string()
  .refine((text) => text.includes('-----BEGIN CERTIFICATE-----'), {
    error: 'must be certificates in PEM, which begin with -----BEGIN CERTIFICATE-----',
  })
  .optional()

export const storeSettings = {
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
    ...integer(1, 1_000, 10),
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    help: 'Postgres cancels a statement that takes longer.',
    ...integer(100, 600_000, 10_000),
  },
}
type StoreTable = typeof storeSettings

/** Problems between the store's settings. A `DATABASE_URL` that is set but wrong is reported once. */
export function storeProblems({
  settings,
  variable,
  problems,
}: ParsedSettings<StoreTable>): Problem[] {
  if (settings.STORE !== 'postgres') return []
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl, DATABASE_CA: ca } = settings
  const unusable = [
    ...urlProblems({ variable: variable('DATABASE_URL'), url, ca }),
    ...urlProblems({ variable: variable('DATABASE_DIRECT_URL'), url: directUrl, ca }),
  ]
  if (url !== undefined) return unusable
  if (problems.some(({ variable }) => variable.startsWith('DATABASE_URL'))) return []
  return [
    ...unusable,
    { variable: 'DATABASE_URL', message: `is required with STORE=postgres, such as ${EXAMPLE}` },
  ]
}

interface NamedUrl {
  readonly variable: string
  readonly url: string | undefined
  /** That of the store's settings. */
  readonly ca: string | undefined
}

/** Why the driver cannot connect to a URL, which it would throw only at the first query. */
export function urlProblems({ variable, url, ca }: NamedUrl): Problem[] {
  if (url === undefined) return []
  const tls = { hasCa: ca !== undefined }
  const problem = driverProblem(url, tls)
  if (problem !== undefined) return [{ variable, message: `is a URL${problem}` }]
  return filesOf(url, tls).flatMap(([name, path]) =>
    isReadable(path)
      ? []
      : [{ variable, message: `is a URL whose ${name} names a file that cannot be read` }],
  )
}

function isReadable(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}

export function storeConfig(settings: SettingsOf<StoreTable>): StoreConfig {
  if (settings.STORE === 'memory' || settings.DATABASE_URL === undefined) return { kind: 'memory' }
  return {
    kind: 'postgres',
    url: settings.DATABASE_URL,
    directUrl: settings.DATABASE_DIRECT_URL,
    ca: settings.DATABASE_CA,
    poolSize: settings.DATABASE_POOL_SIZE,
    statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
  }
}
