import type { OutcomeStatus } from '../store/tables.ts'

interface OriginCodeRow {
  readonly status: OutcomeStatus
  /** The text for the table of codes: one sentence, without a full stop. */
  readonly help: string
}

/**
 * Outcomes of a check of a resource's origin, beside the codes `bazaar_...` of a declaration that the origin's own 402
 * response breaks. `docs/errors.md` is made from it.
 */
export const originCodes = {
  origin_verified: {
    status: 'success',
    help: "the resource's 402 response names the owner, and declares what is listed",
  },
  origin_updated: {
    status: 'success',
    help: "the resource's 402 response names the owner, and declares something new, which is listed now",
  },
  origin_transferred: {
    status: 'success',
    help: "the resource's 402 response names another payee, who was paid for it, and not the owner: the listing is theirs now",
  },
  origin_unreachable: {
    status: 'processing',
    help: 'the resource did not answer, or answered 408, 429 or 5xx; rejected after the last retry',
  },
  origin_not_payment_required: {
    status: 'rejected',
    help: 'the resource answered without a payment, but not with HTTP 402; redirects are not followed',
  },
  origin_requirements_unreadable: {
    status: 'rejected',
    help: 'neither the header PAYMENT-REQUIRED nor the body of its 402 response holds the payment requirements of x402 version 2',
  },
  origin_names_another_payee: {
    status: 'rejected',
    help: "the resource's 402 response pays no address on the listing's network that was paid for it",
  },
  origin_without_bazaar: {
    status: 'rejected',
    help: "the resource's 402 response has no bazaar extension",
  },
  origin_changed_resource: {
    status: 'rejected',
    help: "the resource's 402 response declares another kind, method or URL than the listing",
  },
} as const satisfies Readonly<Record<string, OriginCodeRow>>

export type OriginCode = keyof typeof originCodes
