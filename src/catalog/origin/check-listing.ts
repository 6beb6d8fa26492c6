import type { Random } from '../../platform/core/time/backoff.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { GuardedFetcher } from '../../platform/http/guarded-fetch/guarded-fetch.ts'
import { baseAddress } from '../../stellar/accounts/strkey.ts'
import type { ListingContent, ListingOutcome } from '../listing.ts'
import { deleteClaims, finishCheck, releaseCheck, type TakenCheck } from '../store/checks.ts'
import type { LockedListing } from '../store/listings.ts'
import { changeListing, type ListingChange, setLastOutcome } from '../store/write-listing.ts'
import type { DeclarationValidator } from '../validation/declaration-validator.ts'
import { askOrigin } from './ask-origin.ts'
import { originRequest } from './origin-request.ts'
import { publishOrQuarantine, type Transition } from './publish-or-quarantine.ts'
import { type OriginFinding, readOrigin } from './read-origin.ts'

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
    await finishCheck(deps.db, taken, { tries: 0, nextInMs: undefined }, async () => undefined)
    return undefined
  }
  const finding = await findingOf(deps, taken, signal)
  if (signal.aborted) {
    await releaseCheck(deps.db, taken)
    return undefined
  }
  const transition = publishOrQuarantine({ ...taken, content: contentOf(taken) }, finding)
  const { tries, nextInMs } = transition
  const end = { tries, nextInMs: nextInMs && spread(nextInMs, deps.random) }
  const isApplied = await finishCheck(deps.db, taken, end, async (transaction, listing) => {
    const change = changeOf(taken, listing, transition, new Date(deps.clock.now()))
    if (finding.kind === 'confirmed') await deleteClaims(transaction, taken.id, taken.claims)
    if ('cause' in change) await changeListing(transaction, listing, change)
    else await setLastOutcome(transaction, taken.id, change.outcome)
  })
  return isApplied ? transition : undefined
}

async function findingOf(
  { fetcher, validator }: CheckDeps,
  taken: TakenCheck,
  signal: AbortSignal,
): Promise<OriginFinding> {
  const { network, itemKey, owner, claims } = taken
  const content = contentOf(taken)
  const request = originRequest(content)
  const answer = await askOrigin(fetcher, request, signal)
  if (answer.kind !== 'payment_required') return answer
  const payees = [owner, ...claims.map(({ payTo }) => payTo)]
  const listing = { network, itemKey, content, payees }
  return readOrigin(answer.required, listing, request.url, validator)
}

/** What to write: a version, or an outcome alone. */
function changeOf(
  taken: TakenCheck,
  { owner }: LockedListing,
  { change, outcome: { status, code, reason } }: Transition,
  now: Date,
): ListingChange | { readonly outcome: ListingOutcome & { readonly phase: 'origin' } } {
  const at = now.toISOString()
  const outcome = { phase: 'origin', status, code, ...(reason && { reason }), at } as const
  if (!change) return { outcome }
  const payment = (payTo: string) => {
    const claim = taken.claims.find((each) => each.payTo === payTo)
    return claim && { transaction: claim.transaction }
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
        ...payment(change.owner),
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
        ...payment(owner),
        outcome,
      }
  }
}

/** The store keeps what the catalog wrote. */
const contentOf = ({ content }: TakenCheck): ListingContent => content as ListingContent

/** Up to a tenth later, so that what became due together does not stay so. */
const spread = (ms: number, random: Random): number => Math.round(ms * (1 + random() / 10))
