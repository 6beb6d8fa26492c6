import type { NetworkFacts } from './facts.ts'
import type { Severity, WarningCode } from './schema.ts'

export interface Finding {
  readonly message: string
  /** Alias of the watched contract. */
  readonly contract?: string
}

/** When `/health` warns about a network. */
export interface WarningRule {
  readonly code: WarningCode
  readonly severity: Severity
  /** The condition, for the documentation: it continues "raised while". */
  readonly when: string
  readonly find: (facts: NetworkFacts) => readonly Finding[]
}

/** One finding with this message, or none. */
export const once = (message: string | false | undefined): readonly Finding[] =>
  message === false || message === undefined ? [] : [{ message }]
