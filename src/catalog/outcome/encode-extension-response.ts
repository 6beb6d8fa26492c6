import type { StoredOutcome } from '../store/outcomes.ts'
import type { CatalogPhase } from './codes.ts'

/** Limit of the header's value, which is ASCII. Servers and proxies accept 8 KiB of headers in all. */
const MAX_HEADER_BYTES = 4_096
/** In code points. */
const MAX_REASON_LENGTH = 300

const NO_REASON = 'The catalog rejected the declaration.'
const REASON_LEFT_OUT = 'The reason is too long for a header.'

/**
 * The value of `EXTENSION-RESPONSES`: base64 of `{"bazaar": {...}}` in UTF-8. What is rejected has a `rejectedReason`,
 * any other outcome a `reason` if there is one. A value over 4,096 bytes is reduced to its status, code, a fixed
 * reason and the listing.
 */
export function encodeExtensionResponse(phase: CatalogPhase, outcome: StoredOutcome): string {
  const { status, code, reason, listingId, version, dropped } = outcome
  const isRejected = status === 'rejected'
  const reasonOf = (text: string) => ({ [isRejected ? 'rejectedReason' : 'reason']: text })
  const listing = {
    ...(listingId !== undefined && { listingId }),
    ...(version !== undefined && { version }),
  }
  const hasReason = reason !== undefined && reason.trim() !== ''
  const full = encode({
    phase,
    status,
    code,
    ...(hasReason && reasonOf(cut(reason))),
    ...(!hasReason && isRejected && reasonOf(NO_REASON)),
    ...listing,
    ...(dropped.length > 0 && { dropped }),
  })
  if (full.length <= MAX_HEADER_BYTES) return full
  return encode({ phase, status, code, ...reasonOf(REASON_LEFT_OUT), ...listing })
}

const encode = (bazaar: object): string =>
  Buffer.from(JSON.stringify({ bazaar }), 'utf8').toString('base64')

/** Never cuts a surrogate pair in two. */
const cut = (reason: string): string =>
  [...reason.toWellFormed()].slice(0, MAX_REASON_LENGTH).join('')
