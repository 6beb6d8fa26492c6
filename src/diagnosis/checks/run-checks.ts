import type { Fetched } from '../facts/fetched.ts'
import { type Diagnosis, problem, skipped } from './diagnosis.ts'

/** One check of `svc doctor`. Pure: all facts have been gathered. */
export interface DoctorCheck<Name extends string, Facts> {
  readonly name: Name
  /** Earlier checks that must not have found a problem for this one to make sense. */
  readonly needs?: readonly Name[]
  readonly run: (facts: Facts) => Diagnosis
}

export interface CheckResult<Name extends string> extends Diagnosis {
  readonly check: Name
}

/**
 * Runs the checks in order. A check is skipped when one that it needs found a problem or was skipped
 * itself, so that the first problem in the list is the one to solve.
 * @param before results of earlier checks, for `needs` that name them
 */
export function runChecks<Name extends string, Facts>(
  checks: readonly DoctorCheck<Name, Facts>[],
  facts: Facts,
  before: readonly CheckResult<Name>[] = [],
): readonly CheckResult<Name>[] {
  const results: CheckResult<Name>[] = []
  for (const { name, needs = [], run } of checks) {
    const obstacle = [...before, ...results].find(
      ({ check, status }) =>
        needs.includes(check) && (status === 'problem' || status === 'skipped'),
    )
    const diagnosis = obstacle ? skipped(`after ${obstacle.check}`) : run(facts)
    results.push({ check: name, ...diagnosis })
  }
  return results
}

/** Checks a fetched value. That it could not be fetched is a problem of the first check that needs it. */
export const checkFetched = <T>(
  fetched: Fetched<T> | undefined,
  todo: string,
  run: (value: T) => Diagnosis,
): Diagnosis => {
  if (!fetched) return skipped('STORE=memory: only the service itself knows')
  return fetched.ok ? run(fetched.value) : problem(fetched.why, fetched.todo ?? todo)
}
