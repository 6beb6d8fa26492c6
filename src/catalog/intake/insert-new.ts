import type { Clock } from '../../platform/core/time/clock.ts'
import type { DbTransaction } from '../../platform/database/in-transaction.ts'
import { baseAddress } from '../../stellar/accounts/strkey.ts'
import { reject } from '../declaration/rejection.ts'
import { hostOf } from '../declaration/resource-url.ts'
import type { ReadDeclaration, Rejection } from '../listing.ts'
import type { WaitingDeclaration } from '../store/outbox.ts'
import { countNewListing, exceededQuota, type ListingQuotas } from '../store/quotas.ts'
import { insertListing } from '../store/write-listing.ts'
import { planNew } from './plan-settlement.ts'
import { lastOutcome, type Recorded, refused } from './recorded.ts'

export interface NewListingDeps {
  readonly quotas: ListingQuotas
  readonly clock: Pick<Clock, 'now'>
}

interface NewResource {
  readonly waiting: WaitingDeclaration
  readonly read: Extract<ReadDeclaration, { ok: true }>
  readonly itemKey: string
}

/** Lists a resource that has no listing on its network. The transaction has locked new listings. */
export async function insertNew(
  transaction: DbTransaction,
  { quotas, clock }: NewListingDeps,
  { waiting, read, itemKey }: NewResource,
): Promise<Recorded> {
  const { key, payTo } = waiting
  const { content, dropped } = read
  const accounts = { ownerAccount: baseAddress(payTo), payer: key.payer }
  const exceeded = await exceededQuota(transaction, accounts, quotas)
  if (exceeded) return refused(overQuota(exceeded, quotas))
  const { state, outcome } = planNew(content)
  const listing = await insertListing(transaction, {
    network: key.network,
    itemKey,
    host: hostOf(content.resource),
    owner: payTo,
    ownerAccount: accounts.ownerAccount,
    content,
    state,
    transaction: waiting.transaction,
    settledAt: waiting.settledAt,
    outcome: lastOutcome(outcome, clock.now()),
  })
  if (!listing) throw new Error(`the resource ${content.resource} got a listing without the lock`)
  const { id, version } = listing
  await countNewListing(transaction, id, accounts)
  return { outcome: { ...outcome, listingId: id, version, dropped }, hasWork: true }
}

const whose: Readonly<Record<keyof ListingQuotas, string>> = {
  perOwner: 'The payee',
  perPayer: 'The payer',
  inTotal: 'The catalog',
}

const overQuota = (name: keyof ListingQuotas, quotas: ListingQuotas): Rejection =>
  reject(
    'bazaar_rate_limited',
    `${whose[name]} has ${quotas[name]} new listings within an hour; a later settlement lists the resource.`,
  )
