import { z } from 'zod'
import { httpUrl, setList } from '../../kubernetes/crd/fields/fields.ts'
import { boolean, integer, isHttpUrl, optionalInteger, optionalList, optionalUrl } from './kinds.ts'
import { settingsTable } from './row.ts'
import { postgresUrl } from './store.ts'

export const explorerSettings = settingsTable({
  EXPLORER_PORT: {
    member: 'port',
    help: 'Port of the explorer, of `svc explorer` too; 0 takes any free port.',
    ...integer(0, 65_535, 8_081),
  },
  EXPLORER_DATABASE_URL: {
    member: 'readUrl',
    help: 'URL of a read replica of the database, from which the API and the pages of the explorer read. What it reads from the ledger is written to `DATABASE_URL`.',
    secret: true,
    schema: postgresUrl,
    fallback: '`DATABASE_URL`',
    range: 'a postgres:// URL',
  },
  EXPLORER_DATABASE_POOL_SIZE: {
    member: 'readPoolSize',
    help: 'Maximum database connections of one process for the API and the pages of the explorer. They are not part of `DATABASE_POOL_SIZE`, so that they take none from payments.',
    ...integer(1, 1_000, 5),
  },
  EXPLORER_RATE_LIMIT_PER_MINUTE: {
    member: 'rateLimitPerMinute',
    help: 'Requests to the explorer that one client address may send in a minute, to each process; 0 is no limit.',
    ...integer(0, 1_000_000, 600),
  },
  FACILITATOR_REGISTRY: {
    member: 'registry',
    help: 'Base URLs of other facilitators, comma-separated; the explorer shows which payments are theirs. It learns of further ones through `POST /announce`.',
    crd: {
      path: 'explorer.registry',
      description: 'Addresses of other facilitators; the explorer shows which payments are theirs.',
      type: z
        .array(httpUrl().describe('Base address of one facilitator.'))
        .max(64)
        .meta(setList)
        .default([]),
    },
    ...optionalList('http(s) URLs', isHttpUrl),
  },
  CATALOG_URL: {
    member: 'catalogUrl',
    help: 'Address at which the explorer asks the catalog of the same database, whose listings its pages then show. Without it `svc serve` asks its own, and the pages of `svc explorer` have no catalog.',
    ...optionalUrl,
  },
  EXPLORER_ALLOW_LOOPBACK: {
    member: 'allowLoopback',
    help: 'Whether the explorer may call announced facilitators on this machine: for development only, refused with pubnet.',
    ...boolean(false),
  },
  EXPLORER_RETENTION_DAYS: {
    member: 'retentionDays',
    help: 'Payments older than this many days are deleted from the explorer, a month at a time; totals and time series keep them.',
    crd: {
      path: 'explorer.retentionDays',
      description:
        'Payments older than this many days are deleted from the explorer, a month at a time; totals keep them. All are kept when absent.',
    },
    ...optionalInteger(31, 36_500, 'all are kept'),
  },
  EXPLORER_BACKFILL_LEDGERS: {
    member: 'backfillLedgers',
    help: 'How many of the ledgers before its first start the explorer reads at most; 0 reads none of them.',
    ...optionalInteger(0, 100_000_000, 'all that an endpoint retains'),
  },
})
