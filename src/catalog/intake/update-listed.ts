import type { Clock } from '../../platform/core/time/clock.ts'
import type { DbTransaction } from '../../platform/database/in-transaction.ts'
import type { ListingContent, ReadDeclaration } from '../listing.ts'
import { countSettlement, type LockedListing, requestCheck } from '../store/listings.ts'
import { putClaim } from '../store/listings-claims.ts'
import type { WaitingDeclaration } from '../store/outbox.ts'
import { setLastOutcome } from '../store/write-listing.ts'
import { planListed } from './plan-settlement.ts'
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
  const { content, dropped } = read
  // The store's `content` is what this module and the checks of origins wrote.
  const listed = { owner, state, content: listing.content as ListingContent, checkTries }
  const { keepsClaim, requestsCheck, outcome } = planListed(listed, { payTo, content })
  if (outcome.status !== 'rejected') {
    await countSettlement(transaction, id, settledAt)
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
    })
  }
  if (requestsCheck) await requestCheck(transaction, id)
  return { outcome: { ...outcome, listingId: id, version, dropped }, hasWork: requestsCheck }
}
