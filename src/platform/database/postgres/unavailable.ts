import { Outage } from '../../core/errors/outage.ts'
import { messageOf } from '../../core/text/error-message.ts'
import type { Refusal } from './refusals.ts'

/**
 * The database could not answer: no connection, a lost connection, too slow or too busy, or it refuses this
 * role or database. The caller may try again. A write that failed with this may or may not have happened; every
 * write of this module is fenced or idempotent, so the caller finds out by repeating it or by reading the row.
 */
export class StoreUnavailable extends Outage {
  override readonly name = 'StoreUnavailable'
  override readonly publicReason = 'the store is unavailable'
  /** The problem and the advice about it, where the cause is a known one. */
  readonly refusal: Refusal | undefined

  constructor(cause: unknown, refusal?: Refusal) {
    super(refusal ? sentencesOf(refusal) : `store unavailable: ${messageOf(cause)}`, { cause })
    this.refusal = refusal
  }
}

const sentencesOf = ({ says, todo }: Refusal): string =>
  `${says}. ${todo.charAt(0).toUpperCase()}${todo.slice(1)}.`

/** Whether it stays until someone changes the configuration, the database or its rights. */
export const isLastingRefusal = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.refusal?.isLasting === true
