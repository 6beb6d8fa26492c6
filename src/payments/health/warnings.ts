import { formatXlm } from '../../platform/core/amounts/stroops.ts'
import type { ContractTtl } from '../../stellar/contracts/contract-ttl.ts'
import { spendableOf } from '../channels/minimum-balance.ts'
import type { ContractFacts, NetworkFacts } from './facts.ts'
import type { HealthWarning } from './schema.ts'
import { uptoWarningRules } from './upto/upto-warnings.ts'
import { type Finding, once, type WarningRule } from './warning-rule.ts'

/** Thresholds of the warnings. A ledger takes about five seconds. */
const thresholds = {
  rpcMisses: 2,
  ledgerAgeSeconds: 60,
  balanceUnknownMs: 60_000,
  /** About a day. */
  ttlCritical: 17_280,
  /** About a week. */
  ttlLow: 120_960,
  contractMisses: 3,
} as const

/** One finding for each contract about which `say` returns a message. */
const ofContracts =
  (say: (contract: ContractFacts) => string | false | undefined) =>
  ({ contracts }: NetworkFacts): readonly Finding[] =>
    contracts.flatMap((contract) =>
      once(say(contract)).map((finding) => ({ ...finding, contract: contract.alias })),
    )

/** The same over the contracts that were read and exist, with the TTL that ends first. */
const ofExisting = (say: (ends: EarliestEnd, contract: ContractFacts) => string | false) =>
  ofContracts((contract) => {
    const ends = earliestEnd(contract.ttl)
    return ends && say(ends, contract)
  })

interface EarliestEnd {
  readonly what: 'instance' | 'code'
  readonly ttl: number
}

/** Of instance and code; code that is not on the ledger counts as archived. */
function earliestEnd(contractTtl: ContractTtl | undefined): EarliestEnd | undefined {
  if (!contractTtl || contractTtl.instanceTtl === null) return undefined
  const { instanceTtl, codeTtl = instanceTtl } = contractTtl
  const code = codeTtl ?? -1
  return code < instanceTtl ? { what: 'code', ttl: code } : { what: 'instance', ttl: instanceTtl }
}

const seconds = (ms: number): number => Math.round(ms / 1_000)

/** Every warning about a network but those of the scheme `upto`, in the order of `/health`. */
export const warningRules: readonly WarningRule[] = [
  {
    code: 'rpc_unhealthy',
    severity: 'critical',
    when: 'no RPC endpoint of the network answered the last two polls',
    find: ({ rpc: { misses } }) =>
      once(
        misses >= thresholds.rpcMisses &&
          `no RPC endpoint answered the last ${misses} polls: nothing can be verified or settled`,
      ),
  },
  {
    code: 'ledger_stale',
    severity: 'critical',
    when: 'the latest ledger that was read closed over 60 seconds ago, by the clock of this machine',
    find: ({ rpc: { ledger } }) =>
      once(
        ledger &&
          ledger.ageSeconds > thresholds.ledgerAgeSeconds &&
          `ledger ${ledger.sequence}, the latest read, closed ${ledger.ageSeconds} s ago: settlements do not get confirmed`,
      ),
  },
  {
    code: 'sponsor_below_floor',
    severity: 'critical',
    when: 'the sponsor can spend less than `MIN_SPONSOR_BALANCE_XLM`, or its balance is unknown for over 60 seconds',
    find: ({ sponsor }) => once(sponsorProblem(sponsor)),
  },
  {
    code: 'settlement_ledger_unreadable',
    severity: 'critical',
    when: 'the settlement tables could not be read at the last poll',
    find: ({ store: { misses } }) =>
      once(
        misses > 0 &&
          `the settlements could not be read in the last ${misses} polls: nothing can be settled`,
      ),
  },
  {
    code: 'settlements_unresolvable',
    severity: 'critical',
    when: 'the ledger can no longer prove the outcome of at least one settlement',
    find: ({ store: { hourStats } }) =>
      once(
        hourStats &&
          hourStats.unresolvable > 0 &&
          `${hourStats.unresolvable} settlements wait for an administrator: their channels are out of use until \`svc settlements resolve\` ends them`,
      ),
  },
  {
    code: 'contract_missing',
    severity: 'critical',
    when: "the watched contract's instance is not on the ledger",
    find: ofContracts(
      ({ id, ttl }) =>
        ttl?.instanceTtl === null && `contract ${id} is not on the ledger: calls to it fail`,
    ),
  },
  {
    code: 'contract_archived',
    severity: 'critical',
    when: "the TTL of the contract's instance or code is negative",
    find: ofExisting(
      ({ what, ttl }, { id }) =>
        ttl < 0 && `the ${what} of contract ${id} is archived: calls fail until it is restored`,
    ),
  },
  {
    code: 'contract_ttl_critical',
    severity: 'critical',
    when: `instance or code has under ${thresholds.ttlCritical} ledgers (about a day) to live`,
    find: ofExisting(
      ({ what, ttl }, { id }) =>
        ttl >= 0 && ttl < thresholds.ttlCritical && endsIn(id, what, ttl, 'extend it now'),
    ),
  },
  {
    code: 'contract_ttl_low',
    severity: 'warning',
    when: `instance or code has under ${thresholds.ttlLow} ledgers (about a week) to live`,
    find: ofExisting(
      ({ what, ttl }, { id }) =>
        ttl >= thresholds.ttlCritical &&
        ttl < thresholds.ttlLow &&
        endsIn(id, what, ttl, 'extend it'),
    ),
  },
  {
    code: 'contract_ttl_unchecked',
    severity: 'warning',
    when: 'the last three polls could not read the TTL of the contract',
    find: ofContracts(
      ({ id, misses }) =>
        misses >= thresholds.contractMisses &&
        `contract ${id} could not be read in the last ${misses} polls: its TTL is as last read`,
    ),
  },
]

const endsIn = (id: string, what: EarliestEnd['what'], ttl: number, advice: string): string =>
  `the ${what} of contract ${id} has ${ttl} ledgers to live, then it is archived and calls fail: ${advice}`

function sponsorProblem({ address, balance, floor }: NetworkFacts['sponsor']): string | undefined {
  switch (balance.kind) {
    case 'known': {
      const { stroops, locked, promised } = balance
      const spendable = spendableOf(balance)
      if (spendable >= floor) return undefined
      const says =
        `the sponsor can spend ${formatXlm(spendable > 0n ? spendable : 0n)}, less than ${formatXlm(floor)}: ` +
        `it has ${formatXlm(stroops)}, of which reserves lock ${formatXlm(locked)} `
      return `${says}and settlements under way may cost ${formatXlm(promised)}; send XLM to ${address}`
    }
    case 'missing':
      return `the sponsor ${address} is not on the ledger: nothing can be settled`
    case 'unknown':
      if (balance.forMs <= thresholds.balanceUnknownMs) return undefined
      return `the sponsor's balance is unknown for ${seconds(balance.forMs)} s: settlements are refused`
  }
}

/** The warnings about all networks, of each in the order of the rules. */
export const warningsOf = (networks: readonly NetworkFacts[]): readonly HealthWarning[] =>
  networks.flatMap((facts) =>
    [...warningRules, ...uptoWarningRules].flatMap(({ code, severity, find }) =>
      find(facts).map((finding) => ({ code, severity, ...finding, network: facts.id })),
    ),
  )
