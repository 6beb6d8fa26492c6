import { endpoint, facts } from '../../facts.ts'
import type { ProblemCase } from '../case.ts'

const silent = { name: 'b', answer: { ok: false, why: 'no answer within 5 s' } } as const
const polled = (misses: number, ledger = facts().rpc.ledger) => ({
  derived: { rpc: { misses, ledger } },
})

export const rpcCases: readonly ProblemCase[] = [
  {
    finds: 'rpc-silent',
    when: 'one poll had no answer',
    given: polled(1),
    health: [],
    says: /^problem: no RPC endpoint answered: nothing can be verified or settled -> see that TESTNET_RPC_URL/,
  },
  {
    finds: 'rpc-silent',
    when: 'two polls had no answer',
    given: polled(2),
    says: /^problem: no RPC endpoint answered the last 2 polls: /,
  },
  { finds: 'rpc-silent', when: 'no ledger was ever read', given: polled(2, undefined) },
  {
    finds: 'rpc-silent',
    when: 'each was asked by itself',
    given: { endpoints: [silent] },
    health: [],
    says: /^problem: no RPC endpoint answered \(b: no answer within 5 s\): /,
  },
  {
    finds: 'rpc-partly-silent',
    when: 'one of two does not answer',
    given: { endpoints: [endpoint('a'), silent] },
    says: /^warning: b: no answer within 5 s -> fix or replace it in TESTNET_RPC_URL/,
  },
  {
    finds: 'rpc-wrong-network',
    when: 'an endpoint is of another network',
    given: { endpoints: [endpoint('a'), endpoint('b', { passphrase: 'other' })] },
    says: /^problem: b serves "other" -> name endpoints of stellar:testnet in TESTNET_RPC_URL/,
  },
  {
    finds: { nothingIn: 'rpc' },
    when: 'the only endpoint is of another network',
    given: { endpoints: [endpoint('b', { passphrase: 'other' })] },
  },
  {
    finds: 'rpc-behind',
    when: 'an endpoint is behind',
    given: { endpoints: [endpoint('a'), endpoint('b', { sequence: 987 })] },
    says: /^warning: b is 13 ledgers behind/,
  },
  {
    finds: 'rpc-disputed',
    when: 'the pool says so',
    given: { derived: { rpc: { misses: 0, ledger: facts().rpc.ledger, isDisputed: true } } },
    says: /contradict each other about the latest ledger.*TESTNET_RPC_URL/,
  },
  {
    finds: 'rpc-protocols-differ',
    when: 'endpoints disagree',
    given: { endpoints: [endpoint('a'), endpoint('b', { protocolVersion: 22 })] },
    says: /^warning: the endpoints disagree: protocol 23 and 22/,
  },
  {
    finds: 'rpc-keeps-minutes',
    when: 'one keeps ledgers for less time than a transaction lives',
    given: { endpoints: [endpoint('a', { oldestLedger: 980, keptSeconds: 100 })] },
    says: /^problem: a keeps 2 minutes of ledgers/,
  },
  {
    finds: 'rpc-keeps-hours',
    when: 'one keeps less than a day',
    given: { endpoints: [endpoint('a', { oldestLedger: 500, keptSeconds: 7_200 })] },
    says: /^warning: a keeps 2 hours of ledgers/,
  },
  {
    finds: { nothingIn: 'rpc-retention' },
    when: 'it keeps a week',
    given: { endpoints: [endpoint('a', { oldestLedger: 500, keptSeconds: 604_800 })] },
    says: /^ok: a keeps 7 days of ledgers/,
  },
  {
    finds: 'rpc-slow',
    when: 'an endpoint is slow',
    given: { endpoints: [endpoint('b', { latencyMs: 3_000 }), endpoint('a')] },
    says: /^warning: a 20 ms, b 3000 ms -> .*than b$/,
  },
  {
    finds: 'clock-behind',
    when: 'the newest ledger is of the future',
    given: { endpoints: [endpoint('a', { closedAgoMs: -30_000 })] },
    says: /^problem: this machine's clock is 30 s behind/,
  },
  {
    finds: 'ledger-stale',
    when: 'the newest ledger is older than a minute',
    given: { endpoints: [endpoint('a', { closedAgoMs: 61_000 })] },
    says: /^problem: ledger 1000, the latest read, closed 61 s ago by the clock of this machine: settlements do not get confirmed -> /,
  },
  {
    finds: { nothingIn: 'clock' },
    when: 'the newest ledger is a minute old',
    given: { endpoints: [endpoint('a', { closedAgoMs: 60_000 })] },
    says: /^ok: the newest ledger closed 60 s ago/,
  },
  {
    finds: { nothingIn: 'clock' },
    when: 'another endpoint has a newer ledger',
    given: { endpoints: [endpoint('a', { closedAgoMs: 61_000 }), endpoint('b')] },
    says: /^ok: the newest ledger closed 3 s ago/,
  },
]
