import { readFileSync } from 'node:fs'
import { driverProblem, filesOf } from '../../platform/core/postgres-url.ts'
import type { Problem } from '../parser/config-error.ts'
import type { ParsedSettings } from '../parser/settings.ts'
import type { SettingsOf } from '../rows/row.ts'
import { EXAMPLE_URL, type storeSettings } from '../rows/store.ts'

/** How to open the store. */
export type StoreConfig =
  | { readonly kind: 'memory' }
  | {
      readonly kind: 'postgres'
      readonly url: string
      /** The URL of the same database without a connection pooler. */
      readonly directUrl: string | undefined
      /** PEM of the certificate authority of the server; undefined: the public ones. */
      readonly ca: string | undefined
      readonly poolSize: number
      readonly statementTimeoutMs: number
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
    {
      variable: 'DATABASE_URL',
      message: `is required with STORE=postgres, such as ${EXAMPLE_URL}`,
    },
  ]
}

interface NamedUrl {
  readonly variable: string
  readonly url: string | undefined
  /** The certificate authority of the store's settings. */
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
