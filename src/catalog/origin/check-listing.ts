import type { Random } from '../../platform/core/time/backoff.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { DbTransaction } from '../../platform/database/in-transaction.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { GuardedFetcher } from '../../platform/http/guarded-fetch/guarded-fetch.ts'
import { baseAddress } from '../../stellar/accounts/strkey.ts'
import type { ListingContent, ListingOutcome } from '../listing.ts'
import { finishCheck, releaseCheck, type TakenCheck } from '../store/checks.ts'
import { type LockedListing, requestCheckOfClaims } from '../store/listings.ts'
import {
  deleteClaims,
  markAsked,
  type PaidPayee,
  paidAmong,
  readClaimContent,
} from '../store/listings-claims.ts'
import { changeListing, type ListingChange, setLastOutcome } from '../store/write-listing.ts'
import type { DeclarationValidator } from '../validation/declaration-validator.ts'
import { askOrigin } from './ask-origin.ts'
import { type ContentToAsk, chooseContent, hasFailed, withoutExamples } from './choose-content.ts'
import { originRequest } from './origin-request.ts'
import { publishOrQuarantine, RETRY_AFTER_MS, type Transition } from './publish-or-quarantine.ts'
import { isTo, type OriginFinding, payeesOf, readOrigin } from './read-origin.ts'

export interface CheckDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly fetcher: Pick<GuardedFetcher, 'fetch'>
  readonly validator: DeclarationValidator
}

/**
 * Asks the origin of a listing that this process has taken, and writes what follows. Undefined when nothing was
 * written: the process stops, or the listing has changed since.
 */
export async function checkListing(
  deps: CheckDeps,
  taken: TakenCheck,
  signal: AbortSignal,
): Promise<Transition | undefined> {
  // First-seen metadata of an MCP tool stays: there is no origin to ask.
  if (taken.kind === 'mcp') {
    await finishCheck(
      deps.db,
      taken,
      { tries: 0, hasRefused: false, nextInMs: undefined, donePath: taken.paidPath },
      async () => undefined,
    )
    return undefined
  }
  const asked = chooseContent(taken, deps.random)
  const { finding, paid, hasPaidPath } = await findingOf(deps, taken, asked, signal)
  if (signal.aborted) {
    await releaseCheck(deps.db, taken)
    return undefined
  }
  const ofListing = hasPaidPath ? 'paid' : 'listed'
  const askedWith = asked.from === 'listing' ? ofListing : 'declared'
  const listed = { ...taken, content: contentOf(taken), askedWith } as const
  const transition = publishOrQuarantine(listed, finding)
  const { tries, hasRefused, nextInMs } = transition
  const end = {
    tries,
    hasRefused,
    nextInMs: typeof nextInMs === 'number' ? spread(nextInMs, deps.random) : nextInMs,
    // Kept for the next try while the origin has not answered.
    donePath: finding.kind === 'unreachable' && nextInMs !== undefined ? null : taken.paidPath,
  }
  const isApplied = await finishCheck(deps.db, taken, end, async (transaction, listing) => {
    const change = changeOf({ taken, listing, paid }, transition, new Date(deps.clock.now()))
    const isDecided = transition.outcome.status === 'success'
    if (isDecided) await deleteClaims(transaction, taken.id, taken.claims)
    else await goOn(transaction, taken, { asked, finding, transition })
    if ('cause' in change) await changeListing(transaction, listing, change)
    else await setLastOutcome(transaction, taken.id, change.outcome)
  })
  return isApplied ? transition : undefined
}

interface Found {
  readonly finding: OriginFinding
  /** Payments to payees that the origin names beside the owner. */
  readonly paid: readonly PaidPayee[]
  /** Whether it was asked with the path of a payment. */
  readonly hasPaidPath: boolean
}

async function findingOf(
  { db, fetcher, validator }: CheckDeps,
  taken: TakenCheck,
  asked: ContentToAsk,
  signal: AbortSignal,
): Promise<Found> {
  const { id, network, itemKey, owner } = taken
  const { content, paidPath } = await contentToAsk(db, taken, asked)
  const request = originRequest(content, paidPath)
  const { hasPaidPath } = request
  const answer = await askOrigin(fetcher, request, signal)
  if (answer.kind !== 'payment_required') return { finding: answer, paid: [], hasPaidPath }
  const { accepts } = answer.required
  const isOwners = accepts.some((entry) => isTo(entry, network, owner))
  const paid = isOwners ? [] : await paidAmong(db, id, payeesOf(accepts, network))
  const payees = [owner, ...paid.map(({ payTo }) => payTo)]
  const listing = { network, itemKey, content: contentOf(taken), payees }
  const finding = await readOrigin(answer.required, listing, request, validator)
  return { finding, paid, hasPaidPath }
}

interface ToAsk {
  readonly content: ListingContent
  readonly paidPath?: string | null
}

async function contentToAsk(db: Db, taken: TakenCheck, asked: ContentToAsk): Promise<ToAsk> {
  const content = contentOf(taken)
  switch (asked.from) {
    case 'listing':
      // Whoever pays chooses the path. So none is asked with when this answer may take the listing out.
      return taken.hasRefused ? { content } : { content, paidPath: taken.paidPath }
    case 'address':
      return { content: withoutExamples(content) }
    case 'claim': {
      const claim = await readClaimContent(db, taken.id, asked.claim)
      return claim ? { ...claim, content: claim.content as ListingContent } : { content }
    }
  }
}

interface Unconfirmed {
  readonly asked: ContentToAsk
  readonly finding: OriginFinding
  readonly transition: Transition
}

/** Has the origin asked with the other claims, and again with one that could not reach it. */
async function goOn(
  transaction: DbTransaction,
  { id, state: before }: TakenCheck,
  { asked, finding, transition: { change, tries } }: Unconfirmed,
): Promise<void> {
  if (asked.from === 'claim') {
    const { claim } = asked
    const isUnreachable = finding.kind === 'unreachable'
    await markAsked(transaction, id, claim, isUnreachable ? RETRY_AFTER_MS[claim.tries] : undefined)
  }
  const state = change?.to === 'quarantined' ? 'quarantined' : before
  if (hasFailed({ state, tries })) await requestCheckOfClaims(transaction, id)
}

interface Checked {
  readonly taken: TakenCheck
  readonly listing: LockedListing
  readonly paid: readonly PaidPayee[]
}

/** The change to write: a version, or an outcome alone. */
function changeOf(
  { taken, listing: { owner }, paid }: Checked,
  { change, outcome: { status, code, reason } }: Transition,
  now: Date,
): ListingChange | { readonly outcome: ListingOutcome & { readonly phase: 'origin' } } {
  const at = now.toISOString()
  const outcome = { phase: 'origin', status, code, ...(reason && { reason }), at } as const
  if (!change) return { outcome }
  const paymentTo = (payTo: string) => {
    const payments = [...taken.claims, ...paid]
    const payment = payments.find((each) => each.payTo === payTo)
    return payment && { transaction: payment.transaction }
  }
  switch (change.to) {
    case 'quarantined': {
      const to = { cause: 'quarantine', state: 'quarantined' } as const
      return { ...to, ownerAccount: baseAddress(owner), outcome }
    }
    case 'transferred':
      return {
        cause: 'ownership_transfer',
        state: 'published',
        trust: 'origin_verified',
        owner: change.owner,
        ownerAccount: baseAddress(change.owner),
        content: change.content,
        ...paymentTo(change.owner),
        outcome,
      }
    case 'published':
    case 'updated':
      return {
        cause: 'origin_verification',
        state: 'published',
        // The claim of its host, if there is one, gives it more: see `domain/`.
        ...(change.to === 'published' && { trust: 'origin_verified' }),
        ownerAccount: baseAddress(owner),
        content: change.content,
        ...paymentTo(owner),
        outcome,
      }
  }
}

/** The store keeps what the catalog wrote. */
const contentOf = ({ content }: TakenCheck): ListingContent => content as ListingContent

/** Up to a tenth later, so that what became due together does not stay so. */
const spread = (ms: number, random: Random): number => Math.round(ms * (1 + random() / 10))
