import type { DeclarationOutcome, Rejection } from '../listing.ts'
import type { LockedListing } from '../store/listings.ts'
import type { OutcomeToWrite } from '../store/write-listing.ts'
import type { PlannedOutcome } from './plan-settlement.ts'

/** The outcome of a declaration. */
export interface Recorded {
  readonly outcome: DeclarationOutcome
  /** Whether a listing is new, or a check of an origin is due. */
  readonly hasWork: boolean
}

/** A declaration that changes nothing. */
export const refused = ({ code, reason }: Rejection, listing?: InListing): Recorded => ({
  outcome: {
    status: 'rejected',
    code,
    reason,
    dropped: [],
    ...(listing && { listingId: listing.id, version: listing.version }),
  },
  hasWork: false,
})

type InListing = Pick<LockedListing, 'id' | 'version'>

/** The last outcome in the form that a listing keeps. */
export const lastOutcome = (outcome: PlannedOutcome, now: number): OutcomeToWrite => ({
  phase: 'settle',
  ...outcome,
  at: new Date(now).toISOString(),
})
