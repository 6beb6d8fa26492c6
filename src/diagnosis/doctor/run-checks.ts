import type { DoctorFacts } from '../facts/doctor-facts.ts'
import { type Check, type Diagnosis, skipped } from '../problems/check.ts'
import type { CheckName } from '../problems/names.ts'
import { checksOfNetwork, checksOfService, checksOfUpto } from '../problems/table.ts'
import type { Gathered } from '../read/gather.ts'

export interface CheckResult extends Diagnosis {
  readonly check: CheckName
}

/** The results of the service itself, or of one network. */
export interface Section {
  readonly network: string | undefined
  readonly results: readonly CheckResult[]
}

/**
 * Runs the checks in order. A check is skipped when one that it needs found a problem or was skipped
 * itself, so that the first problem in the list is the one to solve.
 * @param before results of earlier checks, for `needs` that name them
 */
export function runChecks<Facts>(
  checks: readonly Pick<Check<Facts>, 'name' | 'needs' | 'run'>[],
  facts: Facts,
  before: readonly CheckResult[] = [],
): readonly CheckResult[] {
  const results: CheckResult[] = []
  for (const { name, needs, run } of checks) {
    const obstacle = [...before, ...results].find(
      ({ check, status }) =>
        needs.includes(check) && (status === 'problem' || status === 'skipped'),
    )
    const diagnosis = obstacle ? skipped(`after ${obstacle.check}`) : run(facts)
    results.push({ check: name, ...diagnosis })
  }
  return results
}

/** Runs every check of a command: those of the service, then those of each network. */
export function checkAll(
  { service, networks }: Gathered,
  command: 'doctor' | 'preflight',
): readonly Section[] {
  const made = ({ by }: Pick<Check<never>, 'by'>) => by.includes(command)
  const own = runChecks(checksOfService.filter(made), service)
  return [
    { network: undefined, results: own },
    ...networks.map((facts) => ({
      network: facts.id,
      results: runChecks(checksFor(facts).filter(made), facts, own),
    })),
  ]
}

/** All checks of a network; the checks of the scheme `upto` only where it is served. */
const checksFor = ({ upto }: DoctorFacts): readonly Check<DoctorFacts>[] =>
  upto ? checksOfNetwork : checksOfNetwork.filter((check) => !checksOfUpto.has(check))
