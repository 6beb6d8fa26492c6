import type { Clock } from '../../platform/core/time/clock.ts'
import type { DbTransaction } from '../../platform/database/in-transaction.ts'
import { holderOf } from '../../platform/http/host-holder.ts'
import { baseAddress } from '../../stellar/accounts/strkey.ts'
import { reject } from '../declaration/rejection.ts'
import { hostOf } from '../declaration/resource-url.ts'
import type { ReadDeclaration, Rejection } from '../listing.ts'
import type { WaitingDeclaration } from '../store/outbox.ts'
import {
  countNewListing,
  type ExceededQuota,
  exceededQuota,
  type ListingQuotas,
  standingOf,
} from '../store/quotas.ts'
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
  const { content, dropped, paidPath } = read
  const host = hostOf(content.resource)
  const accounts = { network: key.network, ownerAccount: baseAddress(payTo), payer: key.payer }
  const standing = await standingOf(transaction, accounts, quotas)
  const exceeded = await exceededQuota(transaction, accounts, standing, quotas)
  if (exceeded) return refused(overQuota(exceeded, quotas))
  const { state, outcome } = planNew(content)
  const listing = await insertListing(transaction, {
    network: key.network,
    itemKey,
    host,
    domain: holderOf(host).domain,
    owner: payTo,
    ownerAccount: accounts.ownerAccount,
    content,
    state,
    transaction: waiting.transaction,
    settledAt: waiting.settledAt,
    paidPath,
    outcome: lastOutcome(outcome, clock.now()),
  })
  if (!listing) throw new Error(`the resource ${content.resource} got a listing without the lock`)
  const { id, version } = listing
  await countNewListing(transaction, id, accounts, standing)
  return { outcome: { ...outcome, listingId: id, version, dropped }, hasWork: true }
}

const whose: Readonly<Record<keyof ListingQuotas, string>> = {
  perOwner: 'The payee',
  perPayer: 'The payer',
  inTotal: 'The catalog',
}

const overQuota = (name: ExceededQuota, quotas: ListingQuotas): Rejection =>
  reject(
    'bazaar_rate_limited',
    name === 'share'
      ? 'Payees without a domain that claims them have used up their part of the new listings of the hour; a later settlement lists the resource.'
      : `${whose[name]} has ${quotas[name]} new listings within an hour; a later settlement lists the resource.`,
  )
