import { z } from 'zod'
import type { Db } from '../../platform/database/schema.ts'
import { canonicalResource, hostOf } from '../declaration/resource-url.ts'
import { isOfTemplate } from '../declaration/route-template.ts'
import {
  type ExplainedListing,
  type ExplainedOutcome,
  explainListing,
  explainOutcomes,
  explainResources,
  explainWaiting,
  type WaitingDeclaration,
} from '../store/discovery/explain.ts'

/** Why a resource is listed, or is not. */
export interface Explanation {
  /** The listings of the URL on all networks, or the one with the id; in any state, first cataloged first. */
  readonly listings: readonly ExplainedListing[]
  /** The last outcomes of settlements that named the URL, latest first. */
  readonly outcomes: readonly ExplainedOutcome[]
  /** Settlements that named the URL and that no catalog process has recorded yet. */
  readonly waiting: readonly WaitingDeclaration[]
}

/**
 * Explains a listing by its id, or a URL as it is called: `https://a.example/items/7?x=1` finds what is listed as
 * `https://a.example/items/:id`. Undefined for a text that is neither.
 */
export async function explainSubject(db: Db, subject: string): Promise<Explanation | undefined> {
  if (z.uuid().safeParse(subject).success) {
    const listings = await explainListing(db, subject.toLowerCase())
    const names = listings.map(({ resource }) => resource)
    return explanationOf(db, listings, names)
  }
  const url = URL.parse(subject)
  if (!url) return undefined
  const canonical = canonicalResource(url)
  // A refused declaration is stored under the URL as it was declared, and one that was read under the URL without a query.
  const names = [...new Set([subject, url.href, canonical])]
  const found = await explainResources(db, { names, host: hostOf(canonical) })
  const listings = found.filter(
    ({ resource }) => names.includes(resource) || templateMatches(resource, canonical),
  )
  return explanationOf(db, listings, names)
}

async function explanationOf(
  db: Db,
  listings: readonly ExplainedListing[],
  names: readonly string[],
): Promise<Explanation> {
  const listingIds = listings.map(({ id }) => id)
  const [outcomes, waiting] = await Promise.all([
    explainOutcomes(db, { names, listingIds }),
    explainWaiting(db, names),
  ])
  return { listings, outcomes, waiting }
}

/** Whether a URL is one of a listed route template. */
function templateMatches(listed: string, canonical: string): boolean {
  const [template, url] = [partsOf(listed), partsOf(canonical)]
  return template.origin === url.origin && isOfTemplate(url.path, template.path)
}

/** The first three segments are the origin. */
function partsOf(url: string) {
  const segments = url.split('/')
  return { origin: segments.slice(0, 3).join('/'), path: segments.slice(3).join('/') }
}
