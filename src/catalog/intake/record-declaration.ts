import type { DbTransaction } from '../../platform/database/in-transaction.ts'
import { reject } from '../declaration/rejection.ts'
import { itemKeyOf } from '../items/item-key.ts'
import type { ReadDeclaration } from '../listing.ts'
import { notePaidAsset } from '../store/facts.ts'
import { lockListingOf } from '../store/listings.ts'
import { findEarlierOutcomes, removeDeclaration, type WaitingDeclaration } from '../store/outbox.ts'
import { writeOutcome } from '../store/outcomes.ts'
import { lockNewListings } from '../store/quotas.ts'
import { insertNew, type NewListingDeps } from './insert-new.ts'
import { type Recorded, refused } from './recorded.ts'
import { updateListed } from './update-listed.ts'

export interface RecordDeps extends NewListingDeps {
  /** Names this process, for its counts of outcomes. */
  readonly writer: string
}

/** A declaration that was read outside of any transaction. */
export interface CheckedDeclaration {
  readonly waiting: WaitingDeclaration
  readonly read: ReadDeclaration
  /** The declared URL; absent when it is no text. */
  readonly resource?: string
}

/**
 * Records what a settled payment declares, in one transaction with its removal from the outbox; undefined when
 * another process has recorded it. Locks in this order: the declaration, its listing, new listings of all processes,
 * the catalog's revision, the counts of this process, the asset.
 */
export async function recordDeclaration(
  transaction: DbTransaction,
  deps: RecordDeps,
  { waiting, read, resource }: CheckedDeclaration,
): Promise<Recorded | undefined> {
  const { settlementId } = waiting
  if (!(await removeDeclaration(transaction, settlementId))) return undefined
  const earlier = await findEarlierOutcomes(transaction, waiting)
  if (earlier.some((one) => one.settlementId === settlementId)) return undefined
  const listings = earlier.flatMap(({ listingId }) => listingId ?? [])
  const recorded = read.ok
    ? await recordReadable(transaction, deps, { waiting, read, listings })
    : refused(read)
  const listed = read.ok ? read.content.resource : resource
  await writeOutcome(transaction, deps.writer, {
    ...waiting,
    ...recorded.outcome,
    resource: listed,
  })
  await notePaidAsset(transaction, { network: waiting.key.network, asset: waiting.asset })
  return recorded
}

interface Readable {
  readonly waiting: WaitingDeclaration
  readonly read: Extract<ReadDeclaration, { ok: true }>
  /** Listings for which the payment's transaction was recorded. */
  readonly listings: readonly string[]
}

async function recordReadable(
  transaction: DbTransaction,
  deps: RecordDeps,
  { waiting, read, listings }: Readable,
): Promise<Recorded> {
  const itemKey = itemKeyOf(read.content)
  const lock = () => lockListingOf(transaction, waiting.key.network, itemKey)
  let listing = await lock()
  if (listings.some((id) => id !== listing?.id)) {
    const reason = 'The transaction of the payment was recorded for another resource already.'
    return refused(reject('bazaar_settlement_reused', reason))
  }
  if (!listing) {
    await lockNewListings(transaction)
    // Another process may have added it before this one got the lock.
    listing = await lock()
  }
  return listing
    ? updateListed(transaction, deps, { waiting, read, listing })
    : insertNew(transaction, deps, { waiting, read, itemKey })
}
