import type { Random } from '../../platform/core/time/backoff.ts'
import type { ListingContent } from '../listing.ts'
import type { TakenCheck } from '../store/checks.ts'
import type { ClaimOfListing } from '../store/listings-claims.ts'

/** From what the request to an origin is made. */
export type ContentToAsk =
  | { readonly from: 'listing' }
  /** The content that is listed, without its examples. */
  | { readonly from: 'address' }
  | { readonly from: 'claim'; readonly claim: ClaimOfListing }

/**
 * Until an origin has confirmed a listing, its content is what the first payer declared: examples perhaps that the origin
 * refuses before it asks for a payment. So once that content has failed, the origin is asked with what each later payment
 * declares. Chance chooses the next one, so that one payer's payments cannot keep another payer's from its turn. One of the choices
 * is a request without examples: it finds an origin that asks for the payment first, whatever payments declare.
 */
export function chooseContent(
  { state, tries, claims }: Pick<TakenCheck, 'state' | 'tries' | 'claims'>,
  random: Random,
): ContentToAsk {
  const due = claims.filter(({ isDue }) => isDue)
  if (!hasFailed({ state, tries }) || due.length === 0) return { from: 'listing' }
  const unasked = due.filter((claim) => claim.tries === 0)
  // A claim can make its origin fail as if it were out of reach: so none is asked with again while another waits for its turn.
  const next = unasked.length > 0 ? unasked : due
  const claim = next[Math.floor(random() * (next.length + 1))]
  return claim ? { from: 'claim', claim } : { from: 'address' }
}

/** Whether the next check asks with claims. Not of a published listing, whose content its origin has confirmed. */
export const hasFailed = ({ state, tries }: Pick<TakenCheck, 'state' | 'tries'>): boolean =>
  state === 'quarantined' || (state === 'pending' && tries > 0)

export const withoutExamples = ({ bazaar, ...content }: ListingContent): ListingContent => ({
  ...content,
  bazaar: { ...bazaar, info: {} },
})
