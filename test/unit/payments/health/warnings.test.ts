import { describe, expect, test } from 'vitest'
import type { NetworkFacts, SponsorBalance } from '../../../../src/payments/health/facts.ts'
import { warningSchema } from '../../../../src/payments/health/schema.ts'
import { warningRules, warningsOf } from '../../../../src/payments/health/warnings.ts'
import type { ContractTtl } from '../../../../src/stellar/contracts/contract-ttl.ts'
import { contract, facts, hourStats, known, xlm } from './facts-builder.ts'

const rpc = (changes: Partial<NetworkFacts['rpc']>) =>
  facts({ rpc: { ...facts().rpc, ...changes } })
const aged = (ageSeconds: number) => rpc({ ledger: { sequence: 1_234, ageSeconds } })
const sponsor = (balance: SponsorBalance) => facts({ sponsor: { ...facts().sponsor, balance } })
const having = (...parts: Parameters<typeof known>) => sponsor(known(...parts))
const store = (changes: Partial<NetworkFacts['store']>) =>
  facts({ store: { ...facts().store, ...changes } })
const living = (ttl: ContractTtl | undefined, misses = 0) =>
  facts({ contracts: [contract({ ttl, misses })] })

describe('the warnings of a network', () => {
  test.each<{ when: string; of: NetworkFacts; are: readonly string[] }>([
    { when: 'there is nothing to complain of', of: facts(), are: [] },
    { when: 'nothing was read yet and nothing failed', of: living(undefined), are: [] },

    { when: 'one poll had no answer', of: rpc({ misses: 1 }), are: [] },
    { when: 'two polls had no answer', of: rpc({ misses: 2 }), are: ['rpc_unhealthy'] },
    {
      when: 'no ledger was ever read',
      of: rpc({ misses: 2, ledger: undefined }),
      are: ['rpc_unhealthy'],
    },

    { when: 'the newest ledger is a minute old', of: aged(60), are: [] },
    { when: 'the newest ledger is older than a minute', of: aged(61), are: ['ledger_stale'] },

    { when: 'the balance is at the floor', of: having(25n * xlm), are: [] },
    {
      when: 'the balance is a stroop below it',
      of: having(25n * xlm - 1n),
      are: ['sponsor_below_floor'],
    },
    { when: 'the rest is locked or promised', of: having(35n * xlm, 9n * xlm, xlm), are: [] },
    {
      when: 'reserves lock a stroop too many',
      of: having(34n * xlm, 9n * xlm + 1n),
      are: ['sponsor_below_floor'],
    },
    {
      when: 'settlements under way may cost a stroop too many',
      of: having(26n * xlm, 0n, xlm + 1n),
      are: ['sponsor_below_floor'],
    },
    {
      when: 'the sponsor does not exist',
      of: sponsor({ kind: 'missing' }),
      are: ['sponsor_below_floor'],
    },
    {
      when: 'the balance is unknown for a minute',
      of: sponsor({ kind: 'unknown', forMs: 60_000 }),
      are: [],
    },
    {
      when: 'the balance is unknown for longer',
      of: sponsor({ kind: 'unknown', forMs: 60_001 }),
      are: ['sponsor_below_floor'],
    },

    {
      when: 'the store did not answer',
      of: store({ misses: 1 }),
      are: ['settlement_ledger_unreadable'],
    },
    {
      when: 'the store never answered',
      of: store({ misses: 1, hourStats: undefined }),
      are: ['settlement_ledger_unreadable'],
    },
    {
      when: 'one settlement cannot be resolved',
      of: store({ hourStats: hourStats({ unresolvable: 1 }) }),
      are: ['settlements_unresolvable'],
    },
    {
      when: 'the store is away and one could not be resolved before',
      of: store({ misses: 3, hourStats: hourStats({ unresolvable: 1 }) }),
      are: ['settlement_ledger_unreadable', 'settlements_unresolvable'],
    },

    {
      when: 'the contract does not exist',
      of: living({ instanceTtl: null }),
      are: ['contract_missing'],
    },
    {
      when: 'its instance is archived',
      of: living({ instanceTtl: -1 }),
      are: ['contract_archived'],
    },
    {
      when: 'its code is archived',
      of: living({ instanceTtl: 1_000_000, codeTtl: -1 }),
      are: ['contract_archived'],
    },
    {
      when: 'its code is not on the ledger',
      of: living({ instanceTtl: 1_000_000, codeTtl: null }),
      are: ['contract_archived'],
    },
    {
      when: 'its instance ends with this ledger',
      of: living({ instanceTtl: 0 }),
      are: ['contract_ttl_critical'],
    },
    {
      when: 'its code has just under a day',
      of: living({ instanceTtl: 1_000_000, codeTtl: 17_279 }),
      are: ['contract_ttl_critical'],
    },
    { when: 'it has a day', of: living({ instanceTtl: 17_280 }), are: ['contract_ttl_low'] },
    {
      when: 'it has just under a week',
      of: living({ instanceTtl: 120_959, codeTtl: 1_000_000 }),
      are: ['contract_ttl_low'],
    },
    { when: 'it has a week', of: living({ instanceTtl: 120_960, codeTtl: 120_960 }), are: [] },
    { when: 'two polls could not read it', of: living({ instanceTtl: 1_000_000 }, 2), are: [] },
    {
      when: 'three polls could not read it',
      of: living({ instanceTtl: 1_000_000 }, 3),
      are: ['contract_ttl_unchecked'],
    },
    {
      when: 'it was never read in three polls',
      of: living(undefined, 3),
      are: ['contract_ttl_unchecked'],
    },
    {
      when: 'it was near its end before it could not be read',
      of: living({ instanceTtl: 5 }, 3),
      are: ['contract_ttl_critical', 'contract_ttl_unchecked'],
    },
  ])('are $are when $when', ({ of, are }) => {
    const warnings = warningsOf([of])
    expect(warnings.map(({ code }) => code)).toEqual(are)
    for (const warning of warnings) {
      expect(warningSchema.parse(warning)).toEqual(warning)
      expect(warning.network).toBe('stellar:testnet')
      expect(warning.contract).toBe(warning.code.startsWith('contract_') ? 'USDC' : undefined)
    }
  })

  test('give the numbers', () => {
    const [low] = warningsOf([having(30n * xlm, 5n * xlm, xlm)])
    expect(low?.message).toBe(
      'the sponsor can spend 24 XLM, less than 25 XLM: it has 30 XLM, of which reserves lock 5 XLM and ' +
        'settlements under way may cost 1 XLM; send XLM to GSPONSOR',
    )
    const [old] = warningsOf([aged(75)])
    expect(old?.message).toContain('ledger 1234, the latest read, closed 75 s ago')
    const [near] = warningsOf([living({ instanceTtl: 1_000_000, codeTtl: 17_279 })])
    expect(near?.message).toContain('the code of contract CUSDC has 17279 ledgers to live')
  })

  test('name each network and each contract that they are about', () => {
    const gone = { instanceTtl: null }
    const contracts = [contract({ alias: 'a', ttl: gone }), contract({ alias: 'b', ttl: gone })]
    const both = warningsOf([
      facts({ contracts }),
      { ...facts({ contracts }), id: 'stellar:pubnet' },
    ])
    expect(both.map(({ network, contract: alias }) => `${network} ${alias}`)).toEqual([
      'stellar:testnet a',
      'stellar:testnet b',
      'stellar:pubnet a',
      'stellar:pubnet b',
    ])
  })

  test('are ten, each of one severity', () => {
    expect(Object.fromEntries(warningRules.map(({ code, severity }) => [code, severity]))).toEqual({
      rpc_unhealthy: 'critical',
      ledger_stale: 'critical',
      sponsor_below_floor: 'critical',
      settlement_ledger_unreadable: 'critical',
      settlements_unresolvable: 'critical',
      contract_missing: 'critical',
      contract_archived: 'critical',
      contract_ttl_critical: 'critical',
      contract_ttl_low: 'warning',
      contract_ttl_unchecked: 'warning',
    })
  })
})
