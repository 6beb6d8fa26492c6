import type { SettleResponse, VerifyResponse } from '../protocol/protocol.ts'
import type { SettlementKey } from '../store/settlements/settlement.ts'
import type { UsageOutcome } from '../store/usage/labels.ts'

/** The response to a settle request, and the settlement it started. */
export interface SettleResult {
  readonly response: SettleResponse
  /**
   * Key of the settlement that this request started and recorded: the store counts it when it ends.
   * Absent for a refusal before the record, and for a repeat.
   */
  readonly started?: SettlementKey
  /** Key of the authorization; absent when the request has none that passes the checks. */
  readonly key?: SettlementKey
  /** Whether a rule for this caller alone refused the request: others are not affected. */
  readonly isCallersFault?: boolean
}

/** When a settle request is counted. */
export type SettleCount =
  | { readonly kind: 'now'; readonly outcome: UsageOutcome }
  /** The store counts it when the settlement ends. */
  | { readonly kind: 'at the end' }
  /** By the store, as pending until the settlement ends. */
  | { readonly kind: 'pending'; readonly key: SettlementKey }
  | { readonly kind: 'never' }

/** Requests for a network or scheme that is not served (interface, Authentication 7). */
const uncounted: ReadonlySet<string> = new Set(['invalid_network', 'unsupported_scheme'])

/** Undefined for a verification that is not counted. */
export function countOfVerify(response: VerifyResponse): UsageOutcome | undefined {
  if (response.isValid) return 'valid'
  return uncounted.has(response.invalidReason) ? undefined : 'invalid'
}

/**
 * A request that started no settlement and is answered with a transaction is a repeat, whatever the
 * outcome: it is no second success, and moves no money.
 */
export function countOfSettle({ response, started }: SettleResult): SettleCount {
  const reason = response.success ? undefined : response.errorReason
  if (started) {
    const isPending = reason === 'settlement_pending'
    return isPending ? { kind: 'pending', key: started } : { kind: 'at the end' }
  }
  if (reason !== undefined && uncounted.has(reason)) return { kind: 'never' }
  return { kind: 'now', outcome: response.transaction === '' ? 'failure' : 'repeat' }
}
