/** Whether the accepted assets can be paid with, and whether the settlements in progress get finished. */

import { variablePrefixes } from '../../platform/core/caip2.ts'
import type { NetworkConfig } from '../../settings/tables/network-settings.ts'
import type { ContractFacts, NetworkFacts } from '../facts/facts.ts'
import type { CheckName } from './check-names.ts'
import { countOf, type Diagnosis, ok, problem, someOf, warning } from './diagnosis.ts'
import { usable } from './rpc.ts'
import { checkFetched, type DoctorCheck } from './run-checks.ts'

/** A settlement normally ends within two minutes of being recorded. */
const OVERDUE_MS = 180_000
/** As for `contract_ttl_critical` and `contract_ttl_low`: about a day, about a week. */
const CRITICAL_LEDGERS = 17_280
const LOW_LEDGERS = 120_960

type NetworkCheck = DoctorCheck<CheckName, NetworkFacts>

const contracts: NetworkCheck = {
  name: 'contracts',
  needs: ['rpc', 'rpc-network'],
  run: ({ contracts: fetched, network }) =>
    checkFetched(fetched, 'run the command again; see whether the endpoint is overloaded', (all) =>
      checkContracts(all, network),
    ),
}

function checkContracts(all: readonly ContractFacts[], { id, assets }: NetworkConfig): Diagnosis {
  const named = (some: readonly ContractFacts[]) =>
    someOf(some.map(({ name, contract }) => `${name} (${contract})`))
  const missing = all.filter(({ ttlLedgers }) => ttlLedgers === undefined)
  if (missing.length > 0) {
    const isAsset = missing.some(({ contract }) => assets.some((it) => it.contract === contract))
    const todo = isAsset
      ? `correct ${variablePrefixes[id]}ASSETS: a contract that does not exist cannot be paid with`
      : 'correct WATCHED_CONTRACTS'
    return problem(`not on this network: ${named(missing)}`, todo)
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
  return ok(`${named(all)}: not archived, nor within a week`)
}

const settlements: NetworkCheck = {
  name: 'settlements',
  needs: ['schema'],
  run: (facts) =>
    checkFetched(facts.stored, 'run the command again', ({ hour, lapsed, submitted, readAt }) => {
      const oldest = Math.max(...usable(facts).map(({ answer }) => answer.retained.oldestLedger), 0)
      const lost = submitted.filter(({ recordedAtLedger }) => recordedAtLedger + 1 < oldest)
      if (lost.length > 0) {
        return problem(
          `older than the ledgers that the endpoints keep: ${hashes(lost)}`,
          'add an endpoint with a longer history to the RPC URLs, and restart the service',
        )
      }
      const overdue = submitted.filter(({ recordedAt }) => readAt - recordedAt > OVERDUE_MS)
      if (overdue.length > 0) {
        return warning(
          `in progress for over three minutes: ${hashes(overdue)}`,
          'see that the service runs: only it finishes them',
        )
      }
      if (lapsed > 0) {
        return warning(
          `${countOf(lapsed, 'claim')} of a service that died`,
          'start the service: it releases them, nothing was sent',
        )
      }
      return ok(
        `${hour.unfinished} in progress, ${hour.last1h.succeeded} succeeded in the last hour`,
      )
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
  run: ({ stored }) =>
    checkFetched(stored, 'run the command again', ({ hour }) =>
      hour.unresolvable === 0
        ? ok('none')
        : problem(
            `${countOf(hour.unresolvable, 'settlement')} whose outcome the endpoints cannot tell`,
            'svc settlements list --only unresolvable, then docs/operations.md',
          ),
    ),
}

export const paymentChecks: readonly NetworkCheck[] = [contracts, settlements, unresolvable]
