import type { Reading } from './reading.ts'
import { problem, skipped, type Verdict } from './verdict.ts'

/** One question. Pure: everything that it judges has been gathered. */
export interface Check<Name extends string, Facts> {
  readonly name: Name
  /** Checks before it without which its answer would mean nothing. */
  readonly needs?: readonly Name[]
  readonly judge: (facts: Facts) => Verdict
}

export interface Result<Name extends string> extends Verdict {
  readonly check: Name
}

/**
 * Judges in order. Whatever needs a check that found a problem, or was skipped itself, is skipped:
 * the first finding is the one to mend.
 * @param before what was judged already, for `needs` that name it
 */
export function examine<Name extends string, Facts>(
  checks: readonly Check<Name, Facts>[],
  facts: Facts,
  before: readonly Result<Name>[] = [],
): readonly Result<Name>[] {
  const results: Result<Name>[] = []
  for (const { name, needs = [], judge } of checks) {
    const inTheWay = [...before, ...results].find(
      ({ check, status }) =>
        needs.includes(check) && (status === 'problem' || status === 'skipped'),
    )
    const verdict = inTheWay ? skipped(`after ${inTheWay.check}`) : judge(facts)
    results.push({ check: name, ...verdict })
  }
  return results
}

/** Judges what was read; that it could not be is a problem of whichever check asks first. */
export const judging = <T>(
  reading: Reading<T> | undefined,
  todo: string,
  judge: (value: T) => Verdict,
): Verdict => {
  if (!reading) return skipped('STORE=memory: only the service itself knows')
  return reading.ok ? judge(reading.value) : problem(reading.why, todo)
}
