/** Whether the accepted assets can be paid with, and whether the settlements in progress get finished. */
import { variablePrefixes } from '../../platform/core/caip2.ts'
import { countOf } from '../../platform/core/text/count-of.ts'
import type { ContractTtl } from '../../stellar/contracts/contract-ttl.ts'
import type { DoctorFacts, StoredFacts } from '../facts/doctor-facts.ts'
import { usable } from '../facts/endpoints.ts'
import type { ContractFacts, NetworkFacts } from '../facts/facts.ts'
import { networkCheck } from './check.ts'
import { ttlLimits } from './names.ts'
import type { Finding, Found, Problem, ReadProblem } from './problem.ts'
import { someOf } from './words.ts'

/** A settlement normally ends within two minutes of being recorded. */
const OVERDUE_MS = 180_000
/** Failed reads of a contract's TTL in a row that are a problem. The TTL changes slowly, so fewer failures do not matter. */
const MISSED_READS = 3

/** One finding for each contract about which `say` returns one. */
const ofContracts =
  (say: (contract: ContractFacts, facts: NetworkFacts) => Finding | undefined) =>
  (facts: NetworkFacts): Found =>
    facts.contracts.flatMap((contract) => {
      const finding = say(contract, facts)
      return finding ? [{ ...finding, contract: contract.alias }] : []
    })

/** The same over those that were read and exist and whose TTL, that which ends first, is in this range. */
const ofEnding = (
  [from, below]: readonly [from: number, below: number],
  say: (what: EarliestEnd, name: string) => Finding,
) =>
  ofContracts((contract) => {
    const ends = earliestEnd(contract.ttl)
    if (!ends || ends.ttl < from || ends.ttl >= below) return undefined
    return say(ends, nameOf(contract))
  })

interface EarliestEnd {
  readonly what: 'instance' | 'code'
  readonly ttl: number
}

/** The instance or the code of a contract, whichever ends first; code that is not on the ledger counts as archived. */
function earliestEnd(contractTtl: ContractTtl | undefined): EarliestEnd | undefined {
  if (!contractTtl || contractTtl.instanceTtl === null) return undefined
  const { instanceTtl, codeTtl = instanceTtl } = contractTtl
  const code = codeTtl ?? -1
  return code < instanceTtl ? { what: 'code', ttl: code } : { what: 'instance', ttl: instanceTtl }
}

const nameOf = ({ id, alias }: ContractFacts): string => `contract ${id} (${alias})`

const lives =
  (todo: string) =>
  ({ what, ttl }: EarliestEnd, name: string): Finding => ({
    says: `the ${what} of ${name} has ${ttl} ledgers to live, then it is archived and calls fail`,
    todo,
  })

const contractProblems: readonly Problem[] = [
  {
    name: 'contract-missing',
    health: 'contract_missing',
    doctor: 'problem',
    find: ofContracts((contract, { id }) =>
      contract.ttl?.instanceTtl === null
        ? {
            says: `${nameOf(contract)} is not on the ledger: calls to it fail`,
            todo: `correct ${variablePrefixes[id]}ASSETS or WATCHED_CONTRACTS, whichever names it`,
          }
        : undefined,
    ),
  },
  {
    name: 'contract-archived',
    health: 'contract_archived',
    doctor: 'problem',
    find: ofEnding([Number.NEGATIVE_INFINITY, 0], ({ what }, name) => ({
      says: `the ${what} of ${name} is archived: calls fail until it is restored`,
      todo: 'restore it, then extend its time to live',
    })),
  },
  {
    name: 'contract-ttl-critical',
    health: 'contract_ttl_critical',
    doctor: 'problem',
    find: ofEnding([0, ttlLimits.critical], lives('extend it today')),
  },
  {
    name: 'contract-ttl-low',
    health: 'contract_ttl_low',
    doctor: 'warning',
    find: ofEnding([ttlLimits.critical, ttlLimits.low], lives('extend it')),
  },
  {
    name: 'contract-ttl-unchecked',
    health: 'contract_ttl_unchecked',
    find: ofContracts((contract) =>
      contract.misses >= MISSED_READS
        ? {
            says: `${nameOf(contract)} could not be read in the last ${contract.misses} polls: its TTL is as last read`,
            todo: 'see whether the endpoints are overloaded',
          }
        : undefined,
    ),
  },
]

const storeUnreadable: Problem = {
  name: 'settlements-unreadable',
  pool: ['StoreUnreachable'],
  health: 'settlement_ledger_unreadable',
  find: ({ hour: { misses } }) =>
    misses > 0
      ? {
          says: `the settlements could not be read in the last ${misses} polls: nothing can be settled`,
          todo: 'svc doctor says what is wrong with the database',
        }
      : undefined,
}

const hashes = (some: readonly { readonly txHash: string }[]): string =>
  someOf(
    some.map(({ txHash }) => txHash),
    2,
  )

const settlementProblems: readonly ReadProblem<StoredFacts, DoctorFacts>[] = [
  {
    name: 'settlement-ledgers-gone',
    doctor: 'problem',
    findIn: ({ submitted }, { read, id }) => {
      const oldest = Math.max(
        ...usable(read.endpoints, id).map(({ answer }) => answer.retained.oldestLedger),
        0,
      )
      const lost = submitted.filter(({ recordedAtLedger }) => recordedAtLedger + 1 < oldest)
      if (lost.length === 0) return undefined
      return {
        says: `older than the ledgers that the endpoints keep: ${hashes(lost)}`,
        todo: 'add an endpoint with a longer history to the RPC URLs, and restart the service',
      }
    },
  },
  {
    name: 'settlement-overdue',
    doctor: 'warning',
    findIn: ({ submitted, readAt }) => {
      const overdue = submitted.filter(({ recordedAt }) => readAt - recordedAt > OVERDUE_MS)
      if (overdue.length === 0) return undefined
      return {
        says: `in progress for over three minutes: ${hashes(overdue)}`,
        todo: 'see that the service runs: only it finishes them',
      }
    },
  },
  {
    name: 'claims-lapsed',
    doctor: 'warning',
    findIn: ({ lapsed }) =>
      lapsed > 0
        ? {
            says: `${countOf(lapsed, 'claim')} of a service that died`,
            todo: 'start the service: it releases them, nothing was sent',
          }
        : undefined,
  },
]

const unresolvable: Problem = {
  name: 'settlements-unresolvable',
  health: 'settlements_unresolvable',
  doctor: 'problem',
  find: ({ hour: { value } }) =>
    value && value.unresolvable > 0
      ? {
          says: `${countOf(value.unresolvable, 'settlement')} whose outcome the endpoints cannot tell: their channels are out of use until a later look-up finds it or an administrator ends them`,
          todo: 'svc settlements list --only unresolvable, then docs/operations.md',
        }
      : undefined,
}

const readStored = ({ read }: DoctorFacts) => read.stored
const AGAIN = 'run the command again'

export const paymentChecks = [
  networkCheck({
    name: 'contracts',
    needs: ['rpc', 'rpc-network'],
    read: ({ read }) => read.contracts,
    again: 'run the command again; see whether the endpoint is overloaded',
    problems: contractProblems,
    ok: (_, { contracts }) =>
      `${someOf(contracts.map(({ alias, id }) => `${alias} (${id})`))}: not archived, nor within a week`,
  }),
  networkCheck({
    name: 'settlements',
    needs: ['schema'],
    read: readStored,
    again: AGAIN,
    problems: [storeUnreadable, ...settlementProblems],
    ok: ({ hour }) =>
      `${hour.unfinished} in progress, ${hour.last1h.succeeded} succeeded in the last hour`,
  }),
  networkCheck({
    name: 'unresolvable',
    needs: ['schema'],
    read: readStored,
    again: AGAIN,
    problems: [unresolvable],
    ok: () => 'none',
  }),
]
