import type { GuardedFetcher } from '../../platform/http/guarded-fetch/guarded-fetch.ts'
import type { OriginCode } from './origin-codes.ts'
import type { OriginRequest } from './origin-request.ts'
import { type PaymentRequired, readPaymentRequired } from './payment-required.ts'
import { isTransientStatus } from './transient-status.ts'

/** The answer of an origin. `unreachable`: the same request may succeed later. */
export type OriginAnswer =
  | { readonly kind: 'payment_required'; readonly required: PaymentRequired }
  | { readonly kind: 'unreachable'; readonly code: 'origin_unreachable'; readonly reason: string }
  | {
      readonly kind: 'refused'
      readonly code: OriginCode | 'bazaar_resource_unsafe'
      readonly reason: string
    }

/** Asks a resource for its payment requirements. Never throws. */
export async function askOrigin(
  { fetch }: Pick<GuardedFetcher, 'fetch'>,
  { url, named, hasPaidPath: _, ...request }: OriginRequest,
  signal?: AbortSignal,
): Promise<OriginAnswer> {
  const answer = await fetch(url, { ...request, ...(signal && { signal }) })
  if ('kind' in answer) {
    const { reason } = answer
    switch (answer.kind) {
      case 'unsafe':
        return { kind: 'refused', code: 'bazaar_resource_unsafe', reason }
      case 'too_large':
        return { kind: 'refused', code: 'origin_requirements_unreadable', reason }
      case 'unreachable':
      case 'timeout':
        return { kind: 'unreachable', code: 'origin_unreachable', reason }
    }
  }
  const { status } = answer
  if (isTransientStatus(status)) {
    const reason = `${url.host} answered HTTP ${status}.`
    return { kind: 'unreachable', code: 'origin_unreachable', reason }
  }
  if (status !== 402) {
    const hint = status >= 300 && status < 400 ? '; redirects are not followed' : ''
    const reason = `${request.method} ${named} answered HTTP ${status}, expected 402${hint}.`
    return { kind: 'refused', code: 'origin_not_payment_required', reason }
  }
  const read = readPaymentRequired(answer)
  return read.ok
    ? { kind: 'payment_required', required: read.required }
    : { kind: 'refused', code: 'origin_requirements_unreadable', reason: read.reason }
}
