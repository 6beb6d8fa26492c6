import { known } from '../../../../../src/diagnosis/problems/check.ts'
import { facts, NOW, route, storeFacts, table } from '../../facts.ts'
import type { ProblemCase } from '../case.ts'

const digest = (digit: string) => digit.repeat(64)
const valid = { digest: digest('a'), until: NOW + 1 }
const ended = { digest: digest('b'), until: NOW }
const notYet = { digest: digest('c'), from: NOW + 1 }
const server = (changes: Partial<ReturnType<typeof storeFacts>>) => ({
  store: known({ ...storeFacts(), ...changes }),
})
const secret = (mode: number, isSecret = true) => ({
  secretFiles: [{ variable: 'DATABASE_URL_FILE', path: '/run/url', mode, isSecret }],
})
const pooled = known(route({ isDirect: false }))
const large = { tables: known([table({ bytes: 10 * 2 ** 30 })]) }
const { config } = facts()

export const serviceCases: readonly ProblemCase[] = [
  {
    finds: 'secret-writable',
    when: 'every user may write a file',
    given: secret(0o666),
    says: /^problem: every user of this machine may write DATABASE_URL_FILE -> chmod 600 \/run\/url$/,
  },
  {
    finds: 'secret-readable',
    when: 'every user may read one',
    given: secret(0o644),
    says: /^warning: every user of this machine may read DATABASE_URL_FILE/,
  },
  { finds: { nothingIn: 'secret-files' }, when: 'it holds digests', given: secret(0o644, false) },
  {
    finds: 'public-network-open',
    when: 'the public network is open',
    given: { id: 'stellar:pubnet' },
    says: /^warning: anyone may spend XLM of the sponsor of stellar:pubnet/,
  },
  {
    finds: 'no-valid-key',
    when: 'every key was withdrawn',
    given: { requireApiKey: true },
    says: /^warning: no key is configured, so every payment is refused on stellar:testnet/,
  },
  {
    finds: 'no-valid-key',
    when: 'no key is valid now',
    given: { requireApiKey: true, apiKeys: [ended, notYet] },
    says: /^warning: no configured key is valid, so every payment is refused on stellar:testnet/,
  },
  {
    finds: { nothingIn: 'api-keys' },
    when: 'a key has ended and another is not valid yet',
    given: { requireApiKey: true, apiKeys: [valid, ended, notYet] },
    says: /^ok: 3 keys configured, 1 not valid yet, 1 ended$/,
  },
  {
    finds: { nothingIn: 'api-keys' },
    when: 'no network needs a key',
    given: { apiKeys: [valid] },
    says: /^ok: 1 key configured, not required on stellar:testnet$/,
  },
  {
    finds: 'store-in-memory',
    when: 'there is no database',
    given: { config: { ...config, store: { kind: 'memory' } }, store: undefined },
    says: /^warning: STORE=memory forgets every payment at a restart/,
  },
  {
    finds: 'postgres-too-old',
    when: 'Postgres is too old',
    given: server({ version: '14.9' }),
    says: /^problem: Postgres 14.9 is older than 15/,
  },
  {
    finds: 'store-read-only',
    when: 'it is a standby',
    given: server({ isReadOnly: true }),
    says: /^problem: Postgres 18.4 is read-only, as a standby is -> make DATABASE_URL lead to the primary/,
  },
  {
    finds: 'store-slow',
    when: 'the store is slow',
    given: server({ latencyMs: 140 }),
    says: /^warning: answers in 140.0 ms/,
  },
  {
    finds: 'store-clock-off',
    when: 'its clock is ahead',
    given: server({ clockAheadMs: 9_000 }),
    says: /^warning: 9 s ahead of/,
  },
  {
    finds: 'store-clock-off',
    when: 'its clock is behind',
    given: server({ clockAheadMs: -61_000 }),
    says: /^warning: 61 s behind/,
  },
  {
    finds: 'pooler-without-direct-url',
    when: 'a pooler is in between',
    given: { routes: { url: pooled, directUrl: undefined } },
    says: /^warning: DATABASE_URL passes through a connection pooler.* -> set DATABASE_DIRECT_URL/,
  },
  {
    finds: { nothingIn: 'store-pooler' },
    when: 'there is a pooler and a direct URL',
    given: { routes: { url: pooled, directUrl: known(route()) } },
    says: /^ok: DATABASE_DIRECT_URL leads to the same database/,
  },
  {
    finds: 'direct-url-of-another-database',
    when: 'the direct URL is of another database',
    given: { routes: { url: known(route()), directUrl: known(route({ database: 'another' })) } },
    says: /^problem: DATABASE_DIRECT_URL leads to another one: another/,
  },
  {
    finds: 'statement-timeout-withheld',
    when: 'no statement is ever cancelled',
    given: server({ statementTimeoutMs: 0 }),
    says: /^warning: .*never cancels a statement -> alter role "x402" set statement_timeout = 10000/,
  },
  {
    finds: 'schema-differs',
    when: 'migrations are missing',
    given: server({ missingMigrations: ['0001-payments'] }),
    says: /^problem: the schema lacks 0001-payments -> svc migrate/,
  },
  {
    finds: 'schema-differs',
    when: 'a newer version has migrated it',
    given: server({ newerSchema: { says: 'newer', todo: 'run it' } }),
    says: /^problem: newer -> run it$/,
  },
  {
    finds: { nothingIn: 'tables' },
    when: 'most tables are small',
    given: {
      tables: known([
        table(),
        table({ table: 'channels', bytes: 2 ** 21, oldest: undefined }),
        table({ table: 'pools', bytes: 8_192, oldest: undefined }),
      ]),
    },
    says: /^ok: settlements 5 MiB \(1,234 rows, 5 dead, since 2023-11-14\); channels 2 MiB \(1,234 rows, 5 dead\); 1 table under 1 MiB$/,
  },
  {
    finds: 'settlements-kept-for-ever',
    when: 'there are many settlements and no retention',
    given: large,
    says: /^warning: settlements 10,240 MiB .* -> set SETTLEMENT_RETENTION_DAYS/,
  },
  {
    finds: { nothingIn: 'tables' },
    when: 'there are many settlements and a retention',
    given: { ...large, config: { ...config, settlementRetentionDays: 400 } },
    says: /^ok: settlements 10,240 MiB/,
  },
]
