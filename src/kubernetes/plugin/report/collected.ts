import type { Attempt } from '../cluster/attempt.ts'

/** A part of the report as it was read, or why it was not. */
export interface Collected {
  readonly path: string
  readonly content: Attempt<unknown>
  /** An object or a list, a log (lines of JSON or of text), or a text. */
  readonly kind: 'object' | 'log' | 'text'
}
