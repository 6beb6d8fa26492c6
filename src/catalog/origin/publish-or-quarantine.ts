import { canonicalJson } from '../../platform/core/text/canonical-json.ts'
import type { ListingContent, ListingOutcome } from '../listing.ts'
import type { ListingState } from '../store/tables.ts'
import { originCodes } from './origin-codes.ts'
import type { OriginFinding } from './read-origin.ts'

/** A listing, as the transition of its state needs it. */
export interface DecidedListing {
  readonly owner: string
  readonly state: ListingState
  readonly content: ListingContent
  /** Whether its origin was asked with this content, with it and the path of a payment, or with what else payments for it declare. */
  readonly askedWith: 'listed' | 'paid' | 'declared'
  /** Checks in a row that could not reach the origin, before this one. */
  readonly tries: number
  /** Whether a settlement brought the check forward, before the next of these tries was due. */
  readonly isEarly: boolean
  /** Whether an answer, since the last one that confirmed it, was seen that quarantines it when it is seen again. */
  readonly hasRefused: boolean
}

/** The change of a listing that follows from a finding. */
export interface Transition {
  /** Absent: it stays as it is. */
  readonly change?:
    | { readonly to: 'published'; readonly content: ListingContent }
    | { readonly to: 'updated'; readonly content: ListingContent }
    | { readonly to: 'transferred'; readonly content: ListingContent; readonly owner: string }
    | { readonly to: 'quarantined' }
  readonly outcome: Pick<ListingOutcome, 'status' | 'code' | 'reason'>
  readonly tries: number
  /** `DecidedListing.hasRefused` of the next check. */
  readonly hasRefused: boolean
  /** When the origin is asked next; absent: only when a settlement asks for it. `'retry'`: when the next try was due anyway. */
  readonly nextInMs?: number | 'retry'
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Pauses after each try that could not reach the origin; after the last the listing is quarantined. A check that a settlement brings
 * forward is no try: anyone can settle, so payments during an outage of minutes would use up the tries of hours.
 */
export const RETRY_AFTER_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  12 * HOUR_MS,
]

/**
 * A server that is being replaced may answer 404 for a moment, and a payment of a stranger has it asked in that moment. So a published
 * listing leaves when its origin refuses it twice, this long apart at least.
 */
const REFUSAL_CONFIRMED_AFTER_MS = 10 * MINUTE_MS

/** Published listings are checked again, so that none outlives its resource. */
const RECHECK_AFTER_MS = 24 * HOUR_MS

/** The transition table of a listing whose origin was checked. Only here does a published listing leave the catalog: as `quarantined`. */
export function publishOrQuarantine(listing: DecidedListing, finding: OriginFinding): Transition {
  const { askedWith, state, tries, isEarly, hasRefused } = listing
  // Anyone can declare what its origin refuses. So that publishes a listing, and never takes anything from it.
  if (finding.kind !== 'confirmed' && askedWith === 'declared' && state !== 'quarantined') {
    const { code, reason } = finding
    const nextInMs = isEarly ? 'retry' : RETRY_AFTER_MS[Math.max(tries - 1, 0)]
    const outcome = { status: 'processing', code, reason } as const
    return { outcome, tries, hasRefused, ...(nextInMs !== undefined && { nextInMs }) }
  }
  switch (finding.kind) {
    case 'confirmed':
      return isOfPayer(listing) && finding.payTo !== listing.owner
        ? secondLook(listing, anotherPayee)
        : confirmed(listing, finding)
    case 'refused': {
      const { code, reason } = finding
      if (isOfPayer(listing) || !isBelieved(listing, code)) return secondLook(listing, finding)
      return quarantined(listing, { status: 'rejected', code, reason })
    }
    case 'unreachable': {
      const { code, reason } = finding
      const outcome = { status: 'processing', code, reason } as const
      if (isEarly) return { outcome, tries, hasRefused, nextInMs: 'retry' }
      const nextInMs = RETRY_AFTER_MS[tries]
      if (nextInMs === undefined) return quarantined(listing, { status: 'rejected', code, reason })
      return { outcome, tries: tries + 1, hasRefused, nextInMs }
    }
  }
}

/**
 * Whether a payer has chosen what the origin of a published listing was asked for: it may be nothing that is sold, or sold by another. So
 * an answer that does not confirm the listing only makes a second look due, which is taken without that path.
 */
const isOfPayer = ({ askedWith, state }: DecidedListing): boolean =>
  askedWith === 'paid' && state === 'published'

const anotherPayee = {
  code: 'origin_names_another_payee',
  reason: 'The 402 response of the path that was paid for last names another payee.',
} as const

const secondLook = (
  { tries, hasRefused }: DecidedListing,
  { code, reason }: Pick<Extract<OriginFinding, { kind: 'refused' }>, 'code' | 'reason'>,
): Transition => ({
  outcome: { status: 'processing', code, reason },
  tries: Math.max(tries, 1),
  hasRefused: true,
  nextInMs: hasRefused ? 'retry' : REFUSAL_CONFIRMED_AFTER_MS,
})

/** An origin that pays another address says who is to be paid: that is no state between two versions of a server. */
const isBelieved = ({ state, hasRefused, isEarly }: DecidedListing, code: string): boolean =>
  state !== 'published' || code === 'origin_names_another_payee' || (hasRefused && !isEarly)

function confirmed(
  { owner, state, content: listed }: DecidedListing,
  { payTo, content }: Extract<OriginFinding, { kind: 'confirmed' }>,
): Transition {
  const next = { tries: 0, hasRefused: false, nextInMs: RECHECK_AFTER_MS }
  if (payTo !== owner) {
    const change = { to: 'transferred', content, owner: payTo } as const
    return { ...next, change, outcome: success('origin_transferred') }
  }
  if (state !== 'published') {
    return { ...next, change: { to: 'published', content }, outcome: success('origin_verified') }
  }
  if (canonicalJson(content) !== canonicalJson(listed)) {
    return { ...next, change: { to: 'updated', content }, outcome: success('origin_updated') }
  }
  return { ...next, outcome: success('origin_verified') }
}

const quarantined = ({ state }: DecidedListing, outcome: Transition['outcome']): Transition => ({
  ...(state !== 'quarantined' && { change: { to: 'quarantined' } }),
  outcome,
  tries: 0,
  hasRefused: false,
})

const success = (
  code: 'origin_verified' | 'origin_updated' | 'origin_transferred',
): Transition['outcome'] => ({
  status: originCodes[code].status,
  code,
  reason: sentenceOf(originCodes[code].help),
})

const sentenceOf = (help: string): string => `${help.charAt(0).toUpperCase()}${help.slice(1)}.`
