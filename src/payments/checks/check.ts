import { firstMatch } from '../../platform/core/language/first-match.ts'
import type { ReasonCode } from '../protocol/reasons.ts'

/** The result of a failed check: the code, and the expected and the actual value. */
export interface Finding {
  readonly code: ReasonCode
  readonly message: string
}

/** One check of a payment. `codes` are all that it can find. */
export interface Check<Facts> {
  readonly name: string
  readonly codes: readonly ReasonCode[]
  check(facts: Facts): Finding | undefined
}

/** A check with one code: `check` returns the message, or undefined when the rule holds. */
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
