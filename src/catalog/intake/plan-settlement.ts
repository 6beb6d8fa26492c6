import type { ListingContent } from '../listing.ts'
import type { RejectionCode, ResultCode } from '../outcome/codes.ts'
import type { ListingState } from '../store/tables.ts'
import { isSameDeclaration } from './same-declaration.ts'

/*
 * The rows of the transition table whose event is a settlement. The origin of an HTTP resource has the last word: a
 * payment only lists it as pending, and later ones get the origin checked. An MCP tool has no origin that the catalog
 * could ask: the first payment publishes it, and nothing changes it.
 */

/** The declaration of a settled payment. */
export interface Declared {
  readonly payTo: string
  readonly content: ListingContent
}

/** The listing of the resource on the network. */
export interface Listed {
  readonly owner: string
  readonly state: ListingState
  readonly content: ListingContent
  /** Checks in a row that could not reach the origin. */
  readonly checkTries: number
}

export interface PlannedOutcome {
  readonly status: 'success' | 'processing' | 'rejected'
  readonly code: ResultCode | RejectionCode
  readonly reason?: string
}

const cataloged: PlannedOutcome = { status: 'success', code: 'cataloged' }
const recorded: PlannedOutcome = { status: 'success', code: 'recorded' }
const awaitingOrigin: PlannedOutcome = {
  status: 'processing',
  code: 'awaiting_origin_verification',
}

export interface NewPlan {
  readonly state: 'pending' | 'published'
  readonly outcome: PlannedOutcome
}

/** The plan for a resource without a listing. */
export const planNew = ({ kind }: ListingContent): NewPlan =>
  kind === 'http'
    ? { state: 'pending', outcome: awaitingOrigin }
    : { state: 'published', outcome: cataloged }

export interface ListedPlan {
  /** Whether the declaration is kept until the origin has confirmed one. */
  readonly keepsClaim: boolean
  readonly requestsCheck: boolean
  /** Rejected: the settlement does not count for the listing. */
  readonly outcome: PlannedOutcome
}

/** The plan for a resource with a listing, which was paid to its owner or to another payee. */
export function planListed(listed: Listed, declared: Declared): ListedPlan {
  const isHttp = declared.content.kind === 'http'
  if (listed.owner !== declared.payTo) {
    return { keepsClaim: isHttp, requestsCheck: isHttp, outcome: conflict(isHttp) }
  }
  if (!isHttp) return { keepsClaim: false, requestsCheck: false, outcome: recorded }
  const isChanged = !isSameDeclaration(listed.content, declared.content)
  return {
    // The listed content may be one that the origin refuses to be asked with, and a difference in the path counts then.
    keepsClaim: isChanged || listed.state !== 'published',
    // The first check of a pending listing is due already. Later ones are hours apart, and its origin may answer now.
    requestsCheck:
      isChanged ||
      listed.state === 'quarantined' ||
      (listed.state === 'pending' && listed.checkTries > 0),
    outcome: listed.state === 'published' ? recorded : awaitingOrigin,
  }
}

const conflict = (isHttp: boolean): PlannedOutcome => ({
  status: 'rejected',
  code: 'bazaar_owner_conflict',
  reason: isHttp
    ? 'The resource is listed for another payee; it moves when its origin names this one instead.'
    : 'The tool is listed for another payee: the first one keeps it.',
})
