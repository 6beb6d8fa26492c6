/** Whether there is anything to pay with, and how the payments under way stand. */
import type { CheckName } from './check-names.ts'
import { type Check, judging } from './examine.ts'
import type { ContractFacts, NetworkFacts } from './facts.ts'
import { usable } from './rpc-checks.ts'
import { countOf, ok, problem, someOf, type Verdict, warning } from './verdict.ts'

/** A settlement ends within a minute or two of being recorded, or something keeps it. */
const LONG_UNDER_WAY_MS = 180_000
/** Of `contract_ttl_critical` and `contract_ttl_low`: about a day, about a week. */
const CRITICAL_LEDGERS = 17_280
const LOW_LEDGERS = 120_960

type NetworkCheck = Check<CheckName, NetworkFacts>

const contracts: NetworkCheck = {
  name: 'contracts',
  needs: ['rpc', 'rpc-network'],
  judge: ({ contracts: reading }) =>
    judging(reading, 'run the command again; see whether the endpoint is overloaded', (all) =>
      judgeContracts(all),
    ),
}

function judgeContracts(all: readonly ContractFacts[]): Verdict {
  const named = (some: readonly ContractFacts[]) =>
    someOf(some.map(({ name, contract }) => `${name} (${contract})`))
  const missing = all.filter(({ ttlLedgers }) => ttlLedgers === undefined)
  if (missing.length > 0) {
    return problem(
      `not on this network: ${named(missing)}`,
      'correct ASSETS: nobody can pay with what does not exist',
    )
  }
  const below = (ledgers: number) => all.filter(({ ttlLedgers = 0 }) => ttlLedgers < ledgers)
  if (below(0).length > 0) {
    return problem(`archived: ${named(below(0))}`, 'restore it, then extend its time to live')
  }
  if (below(CRITICAL_LEDGERS).length > 0) {
    const says = `archived within a day: ${named(below(CRITICAL_LEDGERS))}`
    return problem(says, 'extend its time to live today')
  }
  if (below(LOW_LEDGERS).length > 0) {
    const says = `archived within a week: ${named(below(LOW_LEDGERS))}`
    return warning(says, 'extend its time to live')
  }
  return ok(`${named(all)} ${all.length === 1 ? 'lives' : 'live'}`)
}

const settlements: NetworkCheck = {
  name: 'settlements',
  needs: ['schema'],
  judge: (facts) =>
    judging(facts.stored, 'run the command again', ({ hour, lapsed, submitted, readAt }) => {
      const oldest = Math.max(...usable(facts).map(({ answer }) => answer.retained.oldestLedger), 0)
      const lost = submitted.filter(({ recordedAtLedger }) => recordedAtLedger + 1 < oldest)
      if (lost.length > 0) {
        return problem(
          `recorded before the ledgers that the endpoints keep: ${hashes(lost)}`,
          'name an endpoint with a longer history before the service asks again',
        )
      }
      const long = submitted.filter(({ recordedAt }) => readAt - recordedAt > LONG_UNDER_WAY_MS)
      if (long.length > 0) {
        return warning(
          `under way for over three minutes: ${hashes(long)}`,
          'see that the service runs: it alone follows them',
        )
      }
      if (lapsed > 0) {
        return warning(
          `${countOf(lapsed, 'claim')} of a service that died`,
          'start the service: it gives them back, nothing was sent',
        )
      }
      return ok(`${hour.unfinished} under way, ${hour.last1h.succeeded} succeeded in the last hour`)
    }),
}

const hashes = (some: readonly { readonly txHash: string }[]): string =>
  someOf(
    some.map(({ txHash }) => txHash),
    2,
  )

const unresolvable: NetworkCheck = {
  name: 'unresolvable',
  needs: ['schema'],
  judge: ({ stored }) =>
    judging(stored, 'run the command again', ({ hour }) =>
      hour.unresolvable === 0
        ? ok('none')
        : problem(
            `${countOf(hour.unresolvable, 'settlement')} that nobody here can end`,
            'npx svc settlements list --only unresolvable, then docs/operations.md',
          ),
    ),
}

export const paymentChecks: readonly NetworkCheck[] = [contracts, settlements, unresolvable]
