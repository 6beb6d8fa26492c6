import { describe, expect, test } from 'vitest'
import { checkAll, networkChecks } from '../../../src/diagnosis/all-checks.ts'
import { checkNames } from '../../../src/diagnosis/checks/check-names.ts'
import { serviceChecks } from '../../../src/diagnosis/checks/service.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import {
  account,
  channel,
  endpoint,
  facts,
  keeper,
  ledger,
  NOW,
  read,
  route,
  stored,
  storeFacts,
  submitted,
  table,
  upto,
  XLM,
} from './doctor-facts.ts'

const diagnose = (name: string, given: ReturnType<typeof facts>) => {
  const check = [...serviceChecks, ...networkChecks].find((each) => each.name === name)
  if (!check) throw new Error(`there is no check ${name}`)
  return check.run(given)
}

describe('the checks', () => {
  test('are those of the table, in its order, and need only earlier ones', () => {
    const all = [...serviceChecks, ...networkChecks]
    expect(all.map(({ name }) => name)).toEqual(checkNames)
    for (const { name, needs = [] } of all) {
      for (const needed of needs) {
        expect(checkNames.indexOf(needed), `${name} needs ${needed}`).toBeLessThan(
          checkNames.indexOf(name),
        )
      }
    }
  })

  test('find no problem in a healthy service', () => {
    for (const name of checkNames)
      expect([name, diagnose(name, facts()).status]).toEqual([name, 'ok'])
  })

  test('are without those of the scheme upto where it is not served', () => {
    const { upto: _upto, ...unserved } = facts()
    const sections = checkAll({ service: unserved, networks: [unserved] })
    const made = sections.flatMap(({ results }) => results.map(({ check }) => check))
    expect(made).toEqual(checkNames.filter((name) => !name.startsWith('upto-')))
  })

  test.each<{ check: string; when: string; given: Parameters<typeof facts>[0]; says: RegExp }>([
    {
      check: 'upto-authority',
      when: 'says how to create a missing one',
      given: { upto: upto({ account: undefined }) },
      says: /^problem: GAUTHORITY is not on the ledger -> svc provision creates it/,
    },
    {
      check: 'upto-authority',
      when: "names the previous sponsor's when that is missing",
      given: { upto: upto({ missingEarlier: ['GOLD'] }) },
      says: /^problem: GOLD, of the previous sponsor.*TESTNET_PREVIOUS_SPONSOR_SECRET/,
    },
    {
      check: 'upto-authority',
      when: 'warns of XLM that it can spend',
      given: { upto: upto({ account: account({ balance: 1n }) }) },
      says: /^warning: GAUTHORITY can spend 0\.0000001 XLM and should have nothing/,
    },
    {
      check: 'upto-contract',
      when: 'says how to deploy a missing one',
      given: { upto: upto({}, { instance: undefined, wasmHash: undefined }) },
      says: /^problem: CUPTO is not on this network -> correct TESTNET_UPTO_CONTRACT/,
    },
    {
      check: 'upto-contract',
      when: 'says what differs in one of other code',
      given: { upto: upto({}, { wasmHash: 'f00d' }) },
      says: /^problem: CUPTO runs the code f00d, this version knows abcd/,
    },
    {
      check: 'upto-contract',
      when: 'says how to restore archived code',
      given: { upto: upto({}, { code: { key: 'code', ttl: -1 } }) },
      says: /^problem: code of CUPTO: archived -> svc upto restore/,
    },
    {
      check: 'upto-keeper',
      when: 'repeats its error',
      given: { stored: stored({ keeper: keeper({ error: 'the budget is spent' }) }) },
      says: /^warning: the budget is spent -> svc upto status/,
    },
    {
      check: 'store',
      when: 'refuses a Postgres that is too old',
      given: { store: read({ ...storeFacts(), version: '14.9' }) },
      says: /^problem: Postgres 14.9 is older than 15/,
    },
    {
      check: 'store',
      when: 'refuses a standby',
      given: { store: read({ ...storeFacts(), isReadOnly: true }) },
      says: /^problem: Postgres 18.4 is read-only, as a standby is -> make DATABASE_URL lead to the primary/,
    },
    {
      check: 'store-latency',
      when: 'warns of a slow store',
      given: { store: read({ ...storeFacts(), latencyMs: 140 }) },
      says: /^warning: answers in 140.0 ms/,
    },
    {
      check: 'store-clock',
      when: 'warns of a clock that is ahead',
      given: { store: read({ ...storeFacts(), clockAheadMs: 9_000 }) },
      says: /^warning: 9 s ahead of/,
    },
    {
      check: 'store-clock',
      when: 'warns of a clock that is behind',
      given: { store: read({ ...storeFacts(), clockAheadMs: -61_000 }) },
      says: /^warning: 61 s behind/,
    },
    {
      check: 'store-pooler',
      when: 'warns of a pooler without a direct URL',
      given: { routes: { url: read(route({ isDirect: false })), directUrl: undefined } },
      says: /^warning: DATABASE_URL passes through a connection pooler.* -> set DATABASE_DIRECT_URL/,
    },
    {
      check: 'store-pooler',
      when: 'accepts a pooler with a direct URL',
      given: { routes: { url: read(route({ isDirect: false })), directUrl: read(route()) } },
      says: /^ok: DATABASE_DIRECT_URL leads to the same database/,
    },
    {
      check: 'store-pooler',
      when: 'refuses a direct URL of another database',
      given: { routes: { url: read(route()), directUrl: read(route({ database: 'another' })) } },
      says: /^problem: DATABASE_DIRECT_URL leads to another one: another/,
    },
    {
      check: 'store-pooler',
      when: 'refuses a direct URL that does not answer',
      given: { routes: { url: read(route()), directUrl: { ok: false, why: 'no answer' } } },
      says: /^problem: no answer -> make DATABASE_DIRECT_URL/,
    },
    {
      check: 'store-timeout',
      when: 'warns when no statement is ever cancelled',
      given: { store: read({ ...storeFacts(), statementTimeoutMs: 0 }) },
      says: /^warning: .*never cancels a statement -> alter role "x402" set statement_timeout = 10000/,
    },
    {
      check: 'tables',
      when: 'says how large each table is',
      given: {
        tables: read([
          table(),
          table({ table: 'channels', bytes: 2 ** 21, oldest: undefined }),
          table({ table: 'pools', bytes: 8_192, oldest: undefined }),
        ]),
      },
      says: /^ok: settlements 5 MiB \(1,234 rows, 5 dead, since 2023-11-14\); channels 2 MiB \(1,234 rows, 5 dead\); 1 table under 1 MiB$/,
    },
    {
      check: 'tables',
      when: 'warns of many settlements without a retention',
      given: { tables: read([table({ bytes: 10 * 2 ** 30 })]) },
      says: /^warning: settlements 10,240 MiB .* -> set SETTLEMENT_RETENTION_DAYS/,
    },
    {
      check: 'tables',
      when: 'accepts many settlements with a retention',
      given: {
        tables: read([table({ bytes: 10 * 2 ** 30 })]),
        config: { ...facts().config, settlementRetentionDays: 400 },
      },
      says: /^ok: settlements 10,240 MiB/,
    },
    {
      check: 'rpc-lag',
      when: 'names an endpoint that is behind',
      given: { endpoints: [endpoint('a'), endpoint('b', { sequence: 987 })] },
      says: /^warning: b is 13 ledgers behind/,
    },
    {
      check: 'rpc-protocol',
      when: 'warns when endpoints disagree',
      given: { endpoints: [endpoint('a'), endpoint('b', { protocolVersion: 22 })] },
      says: /^warning: the endpoints disagree: protocol 23 and 22/,
    },
    {
      check: 'rpc-retention',
      when: 'refuses an endpoint that keeps ledgers for less time than a transaction lives',
      given: { endpoints: [endpoint('a', { oldestLedger: 980, keptSeconds: 100 })] },
      says: /^problem: a keeps 2 minutes of ledgers/,
    },
    {
      check: 'rpc-retention',
      when: 'warns of one that keeps less than a day',
      given: { endpoints: [endpoint('a', { oldestLedger: 500, keptSeconds: 7_200 })] },
      says: /^warning: a keeps 2 hours of ledgers/,
    },
    {
      check: 'rpc-retention',
      when: 'accepts a week',
      given: { endpoints: [endpoint('a', { oldestLedger: 500, keptSeconds: 604_800 })] },
      says: /^ok: a keeps 7 days of ledgers/,
    },
    {
      check: 'rpc-latency',
      when: 'names an endpoint that is slow',
      given: { endpoints: [endpoint('a'), endpoint('b', { latencyMs: 3_000 })] },
      says: /^warning: a 20 ms, b 3000 ms -> .*than b$/,
    },
    {
      check: 'clock',
      when: 'finds a machine whose clock is behind',
      given: { endpoints: [endpoint('a', { closedAgoMs: -30_000 })] },
      says: /^problem: this machine's clock is 30 s behind/,
    },
    {
      check: 'clock',
      when: 'finds a network that closes no ledgers',
      given: { endpoints: [endpoint('a', { closedAgoMs: 61_000 })] },
      says: /^problem: the newest ledger closed 61 s ago/,
    },
    {
      check: 'clock',
      when: 'uses the newest ledger of all endpoints',
      given: { endpoints: [endpoint('a', { closedAgoMs: 61_000 }), endpoint('b')] },
      says: /^ok: the newest ledger closed 3 s ago/,
    },
    {
      check: 'sponsor-signature',
      when: 'refuses a key without weight',
      given: { ledger: ledger({ signing: { masterWeight: 0, low: 0, medium: 0, high: 0 } }) },
      says: /^problem: its key has weight 0, paying fees needs 1/,
    },
    {
      check: 'sponsor-signature',
      when: 'refuses a key whose weight is below the threshold of fees',
      given: { ledger: ledger({ signing: { masterWeight: 1, low: 2, medium: 2, high: 2 } }) },
      says: /^problem: its key has weight 1, paying fees needs 2/,
    },
    {
      check: 'sponsor-signature',
      when: 'warns of one that cannot create channels',
      given: { ledger: ledger({ signing: { masterWeight: 1, low: 1, medium: 2, high: 2 } }) },
      says: /^warning: its key has weight 1: enough for fees/,
    },
    {
      check: 'sponsor-balance',
      when: 'refuses a balance that is all locked',
      given: {
        ledger: ledger({ sponsor: account({ balance: 30n * XLM, sponsoring: 58, sponsored: 0 }) }),
      },
      says: /^problem: 30 XLM, of which 0 XLM can be spent: below SPONSOR_RESERVE_XLM, settlements are refused/,
    },
    {
      check: 'sponsor-runway',
      when: 'gives no hours when it leaves years',
      given: { stored: stored({ committed: 1n }) },
      says: /^ok: 0.0000001 XLM in the last hour: more than a year until it is used up$/,
    },
    {
      check: 'sponsor-runway',
      when: 'warns when the last hour leaves less than two days',
      given: { stored: stored({ committed: 10n * XLM }) },
      says: /^warning: 10 XLM in the last hour: 9.2 hours until it is used up/,
    },
    {
      check: 'sponsor-runway',
      when: 'refuses when it leaves only hours',
      given: { stored: stored({ committed: 50n * XLM }) },
      says: /^problem: 50 XLM in the last hour: 1.8 hours/,
    },
    {
      check: 'sponsor-runway',
      when: 'finds an hourly budget that is spent',
      given: { stored: stored({ committed: 2n * XLM }), hourlyBudget: 2n * XLM },
      says: /^problem: 2 XLM in the last hour of the 2 XLM allowed/,
    },
    {
      check: 'channels',
      when: 'refuses none at all where the service creates none',
      given: { ledger: ledger({ channels: new Map() }), autoProvisionChannels: false },
      says: /^problem: 0 of 2 are on the ledger -> svc provision, or where an operator manages the channels raise spec.channels of the ChannelPool: without /,
    },
    {
      check: 'channels',
      when: 'refuses none at all also where the service creates them when it starts',
      given: { ledger: ledger({ channels: new Map() }) },
      says: /^problem: 0 of 2 are on the ledger -> svc provision, or start or restart the service: without /,
    },
    {
      check: 'sponsor-balance',
      when: 'counts what is promised to settlements under way as spent',
      given: {
        ledger: ledger({ sponsor: account({ balance: 30n * XLM, sponsoring: 0 }) }),
        promisedFees: asStroops(26n * XLM),
      },
      says: /^problem: 30 XLM, of which \S+ XLM can be spent \(26 XLM are promised to settlements under way\): below SPONSOR_RESERVE_XLM/,
    },
    {
      check: 'schema',
      when: 'refuses one that a newer version has migrated',
      given: { store: read({ ...storeFacts(), newerSchema: { says: 'newer', todo: 'run it' } }) },
      says: /^problem: newer -> run it$/,
    },
    {
      check: 'channel-keys',
      when: 'warns of an account that the sponsor does not pay for',
      given: {
        ledger: ledger({ channels: new Map([['C0', account({ address: 'C0', sponsored: 0 })]]) }),
      },
      says: /^warning: the sponsor does not pay the reserve of C0/,
    },
    {
      check: 'channel-states',
      when: 'finds a channel that the store would use and the ledger does not have',
      given: { ledger: ledger({ channels: new Map([['C0', account({ address: 'C0' })]]) }) },
      says: /^problem: active in the store, but not on the ledger: 1/,
    },
    {
      check: 'channel-states',
      when: 'finds channels that the store does not know',
      given: { stored: stored({ channels: [channel(0)] }) },
      says: /^warning: the store does not know 1 channel -> svc provision/,
    },
    {
      check: 'channel-sequences',
      when: 'does not compare channels that are, or recently were, in use',
      given: {
        stored: stored({
          channels: [
            channel(0, { sequence: 9n, isLeased: true }),
            channel(1, { sequence: 9n, lastUsedAt: new Date(NOW - 1_000) }),
          ],
        }),
      },
      says: /^ok/,
    },
    {
      check: 'settlements',
      when: 'finds a settlement older than the ledgers of the endpoints',
      given: {
        endpoints: [endpoint('a', { oldestLedger: 900 })],
        stored: stored({ submitted: [submitted({ recordedAtLedger: 700 })] }),
      },
      says: /^problem: older than the ledgers that the endpoints keep: f00d/,
    },
    {
      check: 'settlements',
      when: 'finds a settlement that takes too long',
      given: { stored: stored({ submitted: [submitted({ recordedAt: NOW - 200_000 })] }) },
      says: /^warning: in progress for over three minutes: f00d/,
    },
    {
      check: 'settlements',
      when: 'finds the claims of a service that died',
      given: { stored: stored({ lapsed: 2 }) },
      says: /^warning: 2 claims of a service that died/,
    },
    ...[
      { ttlLedgers: undefined, says: /^problem: not on this network: USDC \(CUSDC\)/ },
      { ttlLedgers: -1, says: /^problem: archived: USDC/ },
      { ttlLedgers: 17_279, says: /^problem: archived within a day: USDC/ },
      { ttlLedgers: 120_959, says: /^warning: archived within a week: USDC/ },
    ].map(({ ttlLedgers, says }) => ({
      check: 'contracts',
      when: `finds ${ttlLedgers} ledgers to live`,
      given: { contracts: read([{ contract: 'CUSDC', name: 'USDC', ttlLedgers }]) },
      says,
    })),
  ])('$check $when', ({ check, given, says }) => {
    const { status, says: said, todo } = diagnose(check, facts(given))
    expect(`${status}: ${said}${todo ? ` -> ${todo}` : ''}`).toMatch(says)
  })
})
