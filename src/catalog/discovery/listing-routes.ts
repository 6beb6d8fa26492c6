import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Fault } from '../../platform/core/errors/faults.ts'
import { discoveryPaths } from '../../platform/core/http-paths.ts'
import type { Db } from '../../platform/database/schema.ts'
import { type Parameters, readQuery } from '../../platform/http/server/query.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import type { ListingContent, ListingOutcome } from '../listing.ts'
import { readListings } from '../store/discovery/discovery-listings.ts'
import { type ListingVersion, readVersions } from '../store/discovery/discovery-versions.ts'
import {
  catalogListing,
  listingVersions,
  type SingleAnswer,
  type VersionsAnswer,
} from './answer-schemas.ts'
import { contentOf, itemOf } from './item.ts'

const id = z.uuid()
const pathParameters: Parameters = {
  id: { schema: id, rule: "a listing's id, from `svc.listings` or `EXTENSION-RESPONSES`" },
}

const common = {
  method: 'get',
  isPublicRead: true,
  tag: 'Catalog',
  pathParameters,
  faults: ['discovery_invalid_parameter', 'discovery_listing_not_found'],
} as const

export const listingRoute: Route = {
  ...common,
  id: 'getListing',
  path: discoveryPaths.listing,
  summary: 'One listing in any state, with its last outcome and its next check',
  answers: { 200: { description: 'An item with exactly one listing', body: catalogListing } },
}

export const versionsRoute: Route = {
  ...common,
  id: 'getListingVersions',
  path: discoveryPaths.versions,
  summary:
    'The first version of a listing and its newest ones, oldest first: at most 20, and 256 KiB of contents',
  answers: { 200: { description: 'Its versions', body: listingVersions } },
}

/** A content has up to 64 KiB, and a seller can change it every minute: the answer must not occupy the process. */
const HISTORY = { versions: 250, bytes: 1_048_576 }

/** `GET /discovery/resources/{id}` and `/versions`. */
export function exposeListings(app: FastifyInstance, { db }: { readonly db: Db }): void {
  serveRoute(app, listingRoute, (request) => answerListing(db, idOf(request)))
  serveRoute(app, versionsRoute, (request) => versionsOf(db, idOf(request)))
}

/** Throws for a malformed id as for an unknown one. */
function idOf({ params, query }: { readonly params: unknown; readonly query: unknown }): string {
  const parsed = id.safeParse((params as { id?: unknown }).id)
  if (!parsed.success) throw new Fault('discovery_listing_not_found')
  const read = readQuery({}, query)
  if (!read.ok) throw new Fault('discovery_invalid_parameter', { reason: read.reason })
  return parsed.data.toLowerCase()
}

/** One listing in any state. Throws the fault `discovery_listing_not_found`. */
export async function answerListing(db: Db, listingId: string): Promise<SingleAnswer> {
  const [detail] = await readListings(db, { ids: [listingId] })
  if (!detail) throw new Fault('discovery_listing_not_found')
  const { state, nextCheckAt, lastOutcome } = detail
  const places = [...contentOf(detail).accepts.keys()]
  return {
    ...itemOf([{ detail, places }]),
    state,
    lastOutcome: lastOutcome as ListingOutcome,
    nextCheckAt: nextCheckAt?.toISOString() ?? null,
  }
}

async function versionsOf(db: Db, listingId: string): Promise<VersionsAnswer> {
  const versions = await readVersions(db, listingId, HISTORY)
  if (versions.length === 0) throw new Fault('discovery_listing_not_found')
  return { x402Version: 2, id: listingId, versions: versions.map(shownVersion) }
}

const shownVersion = ({
  createdAt,
  transaction,
  content,
  ...same
}: ListingVersion): VersionsAnswer['versions'][number] => ({
  ...same,
  createdAt: createdAt.toISOString(),
  ...(transaction !== null && { transaction }),
  content: content as ListingContent,
})
