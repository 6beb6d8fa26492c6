import type { SettlementKey } from '../../store/settlements/settlement.ts'
import type { UsageOutcome } from '../../store/usage/labels.ts'
import type { SettleResponse, VerifyResponse } from '../../x402/protocol.ts'

/** An answered settle request, and what the store is going to say of it. */
export interface Settled {
  readonly response: SettleResponse
  /**
   * The authorization whose recorded settlement this request has begun: the store counts it when it
   * ends. Absent for a refusal before the record, and for a repeat.
   */
  readonly began?: SettlementKey
}

/** Where a settle request is counted. */
export type SettleCount =
  | { readonly kind: 'here'; readonly outcome: UsageOutcome }
  /** By the store, with the end of the settlement. */
  | { readonly kind: 'with its end' }
  /** By the store as pending, until the settlement ends. */
  | { readonly kind: 'as pending'; readonly key: SettlementKey }
  | { readonly kind: 'nowhere' }

/** What never got as far as a payment (interface, Authentication 7). */
const uncounted: ReadonlySet<string> = new Set(['invalid_network', 'unsupported_scheme'])

/** Undefined for a verification that is not counted. */
export function countOfVerify(response: VerifyResponse): UsageOutcome | undefined {
  if (response.isValid) return 'valid'
  return uncounted.has(response.invalidReason) ? undefined : 'invalid'
}

/**
 * A request that began nothing and yet is answered with a transaction repeats one that did, whatever
 * became of it: it is no second success, and moves nothing.
 */
export function countOfSettle({ response, began }: Settled): SettleCount {
  const reason = response.success ? undefined : response.errorReason
  if (began) {
    const isPending = reason === 'settlement_pending'
    return isPending ? { kind: 'as pending', key: began } : { kind: 'with its end' }
  }
  if (reason !== undefined && uncounted.has(reason)) return { kind: 'nowhere' }
  return { kind: 'here', outcome: response.transaction === '' ? 'failure' : 'repeat' }
}
