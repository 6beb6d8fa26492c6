import { describe, expect, test } from 'vitest'
import type { Severity } from '../../../../src/diagnosis/problems/names.ts'
import type { HealthFacts } from '../../../../src/payments/health/facts.ts'
import { healthSchema } from '../../../../src/payments/health/schema.ts'
import { healthSnapshot, stateAfterPoll } from '../../../../src/payments/health/snapshot.ts'
import { contract, facts, known, upto } from './facts-builder.ts'

const checkedAt = '2026-09-21T14:13:20.000Z'
const snapshot = (of: HealthFacts, at: string | null = checkedAt) =>
  healthSchema.parse(healthSnapshot([of], { version: '1.2.3', checkedAt: at }))
const ofNetwork = (of: HealthFacts) => snapshot(of).networks['stellar:testnet']

describe('the health snapshot', () => {
  test('has every member', () => {
    expect(snapshot(facts())).toEqual({
      status: 'ok',
      version: '1.2.3',
      state: 'healthy',
      checkedAt,
      warnings: [],
      networks: {
        'stellar:testnet': {
          rpc: { ok: true, latestLedger: 1_234, ledgerAgeSeconds: 3, transportErrors1h: 5 },
          sponsor: {
            address: 'GSPONSOR',
            balanceStroops: '250000000',
            committed1hStroops: '500',
            wasted1hStroops: '60',
          },
          channels: { total: 8, inUse: 2, leaseWaitP95Ms: 12.5, leaseTimeouts1h: 8 },
          settlements: {
            last1h: { succeeded: 4, failed: 3, expired: 2, pending: 1 },
            unfinished: 1,
            unresolvable: 0,
            repeats1h: 7,
          },
          sequenceConflicts1h: 9,
          contracts: { USDC: { id: 'CUSDC', instanceTtlLedgers: 1_000_000 } },
        },
      },
    })
  })

  test('lists the networks before the first poll, with unknown numbers and no warnings', () => {
    const nothing = facts({
      rpc: { misses: 3, ledger: undefined },
      sponsor: { ...facts().sponsor, balance: { kind: 'unknown', forMs: 90_000 } },
      channels: { total: 0 },
      hour: { value: undefined, misses: 0 },
      counted: { transportErrors1h: 0, leaseWaitP95Ms: undefined },
      contracts: [contract({ ttl: undefined })],
    })
    expect(snapshot(nothing, null)).toEqual({
      status: 'ok',
      version: '1.2.3',
      state: 'starting',
      checkedAt: null,
      warnings: [],
      networks: {
        'stellar:testnet': {
          rpc: { ok: false, latestLedger: null, ledgerAgeSeconds: null, transportErrors1h: 0 },
          sponsor: {
            address: 'GSPONSOR',
            balanceStroops: null,
            committed1hStroops: null,
            wasted1hStroops: '0',
          },
          channels: { total: 0, inUse: null, leaseWaitP95Ms: null, leaseTimeouts1h: 0 },
          settlements: { last1h: null, unfinished: null, unresolvable: 0, repeats1h: 0 },
          sequenceConflicts1h: 0,
          contracts: { USDC: { id: 'CUSDC', instanceTtlLedgers: null } },
        },
      },
    })
  })

  test('has null for the numbers of a store that cannot be read, or the last value where null is not allowed', () => {
    const health = ofNetwork(facts({ hour: { ...facts().hour, misses: 1 } }))
    expect(health).toMatchObject({
      sponsor: { committed1hStroops: null, wasted1hStroops: '60' },
      channels: { inUse: null, leaseTimeouts1h: 8 },
      settlements: { last1h: null, unfinished: null, unresolvable: 0, repeats1h: 7 },
      sequenceConflicts1h: 9,
    })
  })

  test('reports after one failed poll that the network does not answer', () => {
    const rpc = { ...facts().rpc, misses: 1 }
    expect(ofNetwork(facts({ rpc }))?.rpc).toMatchObject({ ok: false, latestLedger: 1_234 })
  })

  test.each([
    {
      what: 'code of its own',
      ttl: { instanceTtl: 5, codeTtl: 7 },
      gives: { instanceTtlLedgers: 5, codeTtlLedgers: 7 },
    },
    {
      what: 'archived state',
      ttl: { instanceTtl: -1, codeTtl: -9 },
      gives: { instanceTtlLedgers: -1, codeTtlLedgers: -9 },
    },
    {
      what: 'code that is gone',
      ttl: { instanceTtl: 5, codeTtl: null },
      gives: { instanceTtlLedgers: 5 },
    },
    { what: 'no instance', ttl: { instanceTtl: null }, gives: { instanceTtlLedgers: null } },
  ])('has the TTL of a contract with $what', ({ ttl, gives }) => {
    const health = ofNetwork(facts({ contracts: [contract({ alias: 'vault', ttl })] }))
    expect(health?.contracts).toEqual({ vault: { id: 'CUSDC', ...gives } })
  })
})

describe('the state', () => {
  test.each<{ severities: Severity[]; gives: 'healthy' | 'degraded' }>([
    { severities: [], gives: 'healthy' },
    { severities: ['warning', 'warning'], gives: 'healthy' },
    { severities: ['critical'], gives: 'degraded' },
    { severities: ['warning', 'critical'], gives: 'degraded' },
  ])('is $gives after a poll with $severities', ({ severities, gives }) => {
    expect(stateAfterPoll(severities.map((severity) => ({ severity })))).toBe(gives)
  })

  test('is starting before the first poll, whatever is wrong', () => {
    expect(snapshot(facts({ rpc: { ...facts().rpc, misses: 9 } }), null).state).toBe('starting')
    expect(snapshot(facts({ rpc: { ...facts().rpc, misses: 9 } })).state).toBe('degraded')
  })
})

describe('the member upto', () => {
  const uptoOf = (changes?: Parameters<typeof upto>[0]) =>
    ofNetwork(facts({ upto: upto(changes) }))?.upto

  test('is absent where the scheme is not served', () => {
    expect(ofNetwork(facts())).not.toHaveProperty('upto')
  })

  test('has every member', () => {
    const state = {
      network: 'stellar:testnet',
      contract: 'CUPTO',
      checkedAt: new Date(checkedAt),
      plan: 'extend the code',
      lastAction: { action: 'extend', transaction: 'f00d', at: new Date(checkedAt) },
      error: 'the budget is spent',
    } as const
    const tokens = [{ symbol: 'USDC', contract: 'CUSDC', balance: 7n }]
    const account = known(30n, 10n)
    const keeper = { enabled: false, autoRestore: false, state: { value: state, misses: 0 } }
    expect(uptoOf({ account, tokens, keeper })).toEqual({
      contract: 'CUPTO',
      authority: {
        address: 'GAUTHORITY',
        present: true,
        balanceStroops: '30',
        spendableStroops: '20',
        tokens: [{ symbol: 'USDC', contract: 'CUSDC', balance: '7' }],
      },
      keeper: {
        enabled: false,
        autoRestore: false,
        checkedAt,
        plan: 'extend the code',
        lastAction: { action: 'extend', transaction: 'f00d', at: checkedAt },
        error: 'the budget is spent',
      },
    })
  })

  test('has null for what was not read, or could not be read just now', () => {
    const unread = { present: null, balanceStroops: null, spendableStroops: null }
    const never = { value: undefined, misses: 0 }
    expect(
      uptoOf({ account: undefined, tokens: undefined, keeper: { state: never } }),
    ).toMatchObject({
      authority: { ...unread, tokens: null },
      keeper: { checkedAt: null, plan: null, lastAction: null, error: null },
    })
    expect(uptoOf({ accountMisses: 1 })).toMatchObject({ authority: { ...unread, tokens: [] } })
    expect(uptoOf({ account: { kind: 'missing' } })).toMatchObject({
      authority: { ...unread, present: false },
    })
  })
})
