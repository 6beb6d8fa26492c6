import type { Clock } from '../../platform/core/time/clock.ts'
import type { DbTransaction } from '../../platform/database/in-transaction.ts'
import type { ListingContent, ReadDeclaration } from '../listing.ts'
import { countSettlement, type LockedListing, requestCheck } from '../store/listings.ts'
import { putClaim } from '../store/listings-claims.ts'
import type { WaitingDeclaration } from '../store/outbox.ts'
import type { ListingState } from '../store/tables.ts'
import { setLastOutcome } from '../store/write-listing.ts'
import { type PlannedOutcome, planListed } from './plan-settlement.ts'
import { lastOutcome, type Recorded } from './recorded.ts'

interface ListedResource {
  readonly waiting: WaitingDeclaration
  readonly read: Extract<ReadDeclaration, { ok: true }>
  readonly listing: LockedListing
}

/** Records a settlement of a resource that has a listing. Its content stays: only its origin changes it. */
export async function updateListed(
  transaction: DbTransaction,
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  { waiting, read, listing }: ListedResource,
): Promise<Recorded> {
  const { key, payTo, transaction: hash, settledAt } = waiting
  const { id, version, owner, state, checkTries } = listing
  const { content, dropped, paidPath } = read
  // The store's `content` is what this module and the checks of origins wrote.
  const listed = { owner, state, content: listing.content as ListingContent, checkTries }
  const { keepsClaim, requestsCheck, outcome: planned } = planListed(listed, { payTo, content })
  const askedAt = requestsCheck ? await requestCheck(transaction, id) : undefined
  const outcome = askedAt ? sayingWhen(planned, state, askedAt) : planned
  if (outcome.status !== 'rejected') {
    await countSettlement(transaction, id, settledAt, paidPath)
    // While its origin does not answer, the listing says so.
    if (checkTries === 0) {
      await setLastOutcome(transaction, id, lastOutcome(outcome, clock.now()))
    }
  }
  if (keepsClaim) {
    const { payer } = key
    await putClaim(transaction, {
      listingId: id,
      payer,
      payTo,
      transaction: hash,
      settledAt,
      content,
      paidPath,
    })
  }
  return { outcome: { ...outcome, listingId: id, version, dropped }, hasWork: requestsCheck }
}

/** Tells the seller of a quarantined listing when its origin is asked again. */
const sayingWhen = (planned: PlannedOutcome, state: ListingState, askedAt: Date): PlannedOutcome =>
  state === 'quarantined' && planned.status !== 'rejected'
    ? {
        ...planned,
        reason: `The listing is quarantined. Its origin is asked again at ${askedAt.toISOString()}, or within seconds of it.`,
      }
    : planned
