import { firstMatch } from '../../core/first-match.ts'
import type { ReasonCode } from '../reasons.ts'

/** A check that did not hold: why, and what was expected and seen. */
export interface Finding {
  readonly code: ReasonCode
  readonly message: string
}

/** One rule. `codes` are all it may find. */
export interface Check<Facts> {
  readonly name: string
  readonly codes: readonly ReasonCode[]
  check(facts: Facts): Finding | undefined
}

/** A rule with one code: `check` answers the message, or undefined when the rule holds. */
export const rule = <Facts>(
  name: string,
  code: ReasonCode,
  check: (facts: Facts) => string | undefined,
): Check<Facts> => ({
  name,
  codes: [code],
  check(facts) {
    const message = check(facts)
    return message === undefined ? undefined : { code, message }
  },
})

/** The first finding, in the order of the list. */
export const firstFinding = <Facts>(
  checks: readonly Check<Facts>[],
  facts: Facts,
): Finding | undefined => firstMatch(checks, ({ check }) => check(facts))
