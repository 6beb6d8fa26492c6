import type { HourStats } from '../../../../../src/payments/store/settlements/hour-stats.ts'
import type { ContractTtl } from '../../../../../src/stellar/contracts/contract-ttl.ts'
import { type Changes, endpoint, facts, NOW, stored, submitted } from '../../facts.ts'
import type { ProblemCase } from '../case.ts'

const living = (ttl: ContractTtl | undefined, misses = 0): Changes => ({
  derived: { contracts: [{ alias: 'USDC', id: 'CUSDC', misses, ttl }] },
})
const hour = (changes: Partial<HourStats>, misses = 0): Changes => {
  const value = facts().hour.value
  return { derived: { hour: { value: value && { ...value, ...changes }, misses } } }
}

export const paymentCases: readonly ProblemCase[] = [
  {
    finds: 'contract-missing',
    when: 'the contract does not exist',
    given: living({ instanceTtl: null }),
    says: /^problem: contract CUSDC \(USDC\) is not on the ledger: calls to it fail -> correct TESTNET_ASSETS/,
  },
  {
    finds: 'contract-archived',
    when: 'its instance is archived',
    given: living({ instanceTtl: -1 }),
    says: /^problem: the instance of contract CUSDC \(USDC\) is archived: .* -> restore it/,
  },
  {
    finds: 'contract-archived',
    when: 'its code is archived',
    given: living({ instanceTtl: 1_000_000, codeTtl: -1 }),
  },
  {
    finds: 'contract-archived',
    when: 'its code is not on the ledger',
    given: living({ instanceTtl: 1_000_000, codeTtl: null }),
  },
  {
    finds: 'contract-ttl-critical',
    when: 'its instance ends with this ledger',
    given: living({ instanceTtl: 0 }),
  },
  {
    finds: 'contract-ttl-critical',
    when: 'its code has just under a day',
    given: living({ instanceTtl: 1_000_000, codeTtl: 17_279 }),
    says: /^problem: the code of contract CUSDC \(USDC\) has 17279 ledgers to live, .* -> extend it today$/,
  },
  { finds: 'contract-ttl-low', when: 'it has a day', given: living({ instanceTtl: 17_280 }) },
  {
    finds: 'contract-ttl-low',
    when: 'it has just under a week',
    given: living({ instanceTtl: 120_959, codeTtl: 1_000_000 }),
    says: /^warning: the instance of contract CUSDC/,
  },
  {
    finds: { nothingIn: 'contracts' },
    when: 'it has a week',
    given: living({ instanceTtl: 120_960, codeTtl: 120_960 }),
    says: /^ok: USDC \(CUSDC\): not archived, nor within a week$/,
  },
  {
    finds: { nothingIn: 'contracts' },
    when: 'two polls could not read it',
    given: living({ instanceTtl: 1_000_000 }, 2),
  },
  {
    finds: 'contract-ttl-unchecked',
    when: 'three polls could not read it',
    given: living({ instanceTtl: 1_000_000 }, 3),
    says: /^contract CUSDC \(USDC\) could not be read in the last 3 polls/,
  },
  {
    finds: 'contract-ttl-unchecked',
    when: 'it was never read in three polls',
    given: living(undefined, 3),
  },
  {
    finds: 'contract-ttl-critical',
    when: 'it was near its end before it could not be read',
    given: living({ instanceTtl: 5 }, 3),
    health: ['contract_ttl_critical', 'contract_ttl_unchecked'],
  },
  {
    finds: 'settlements-unreadable',
    when: 'the store did not answer',
    given: hour({}, 1),
    says: /^the settlements could not be read in the last 1 polls: nothing can be settled; /,
  },
  {
    finds: 'settlements-unreadable',
    when: 'the store never answered',
    given: { derived: { hour: { value: undefined, misses: 1 } } },
  },
  {
    finds: 'settlement-ledgers-gone',
    when: 'one is older than the ledgers of the endpoints',
    given: {
      endpoints: [endpoint('a', { oldestLedger: 900 })],
      stored: stored({ submitted: [submitted({ recordedAtLedger: 700 })] }),
    },
    says: /^problem: older than the ledgers that the endpoints keep: f00d/,
  },
  {
    finds: 'settlement-overdue',
    when: 'one takes too long',
    given: { stored: stored({ submitted: [submitted({ recordedAt: NOW - 200_000 })] }) },
    says: /^warning: in progress for over three minutes: f00d/,
  },
  {
    finds: 'claims-lapsed',
    when: 'a service died',
    given: { stored: stored({ lapsed: 2 }) },
    says: /^warning: 2 claims of a service that died/,
  },
  {
    finds: 'settlements-unresolvable',
    when: 'one cannot be resolved',
    given: hour({ unresolvable: 1 }),
    says: /^problem: 1 settlement whose outcome the endpoints cannot tell.* -> svc settlements list/,
  },
  {
    finds: 'settlements-unresolvable',
    when: 'the store is away and one could not be resolved before',
    given: hour({ unresolvable: 1 }, 3),
    health: ['settlement_ledger_unreadable', 'settlements_unresolvable'],
  },
]
