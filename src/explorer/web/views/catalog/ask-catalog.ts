import { ApiError } from '../../../../buying/client/api-error.ts'
import {
  type FacilitatorClient,
  facilitatorClient,
} from '../../../../buying/client/facilitator-client.ts'
import type { RequestOptions } from '../../../../buying/client/options.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../../../platform/core/time/time-limit.ts'
import type { PageDeps } from '../../deps.ts'
import { visibleText } from '../../format/visible-text.ts'
import { PageRefusal, type PageRequest } from '../../page.ts'

/** A page should not wait longer than its reader does. */
const LIMIT_MS = 5_000

type Ask<T> = (client: FacilitatorClient, options: RequestOptions) => Promise<T>

/**
 * Asks the catalog for a page. The catalog limits the requests of each client: where both are behind a proxy, it counts this one for the
 * reader of the page and not for the explorer. Throws `PageRefusal`: 404 without a catalog or such a listing, 400 for what it refuses,
 * 503 when it does not answer.
 */
export async function askCatalog<T>(
  { catalog, clock }: Pick<PageDeps, 'catalog' | 'clock'>,
  { client: reader }: Pick<PageRequest, 'client'>,
  ask: Ask<T>,
): Promise<T> {
  if (!catalog) throw noCatalog()
  const forwarded = reader.replace(/\/64$/, '')
  // The catalog is near: to compress its answer takes longer than to send it.
  const more = { 'x-forwarded-for': forwarded, 'accept-encoding': 'identity' }
  const client = facilitatorClient({
    url: catalog.url,
    fetch: (url, init = {}) =>
      fetch(url, { ...init, headers: { ...Object(init.headers), ...more } }),
  })
  try {
    return await withTimeLimit({ clock, ms: LIMIT_MS }, (signal) => ask(client, { signal }))
  } catch (error) {
    throw refusalOf(error)
  }
}

const noCatalog = (): PageRefusal =>
  new PageRefusal(
    404,
    'This explorer has no catalog',
    'Nothing is listed here: the service runs without a catalog, or CATALOG_URL does not say where it is. Payments and sellers are shown all the same.',
  )

function refusalOf(error: unknown): unknown {
  if (error instanceof TimeLimitExceeded) return unavailable()
  if (!(error instanceof ApiError)) return error
  if (error.code === 'discovery_listing_not_found') {
    return new PageRefusal(
      404,
      'There is no such listing',
      'The catalog has no listing with this id, or an administrator has hidden it. Search the catalog for what you need.',
    )
  }
  if (error.status === 400) {
    const heading =
      error.code === 'search_cursor_expired'
        ? 'This list has expired'
        : 'The catalog cannot search for this'
    return new PageRefusal(400, heading, `The catalog says: ${visibleText(error.message)}.`)
  }
  return error.status === 429 ? busy() : unavailable()
}

const busy = (): PageRefusal =>
  new PageRefusal(
    503,
    'The catalog is busy',
    'It was asked too often in the last minute. Load this page again in a moment.',
  )

const unavailable = (): PageRefusal =>
  new PageRefusal(
    503,
    'The catalog does not answer',
    'Payments, sellers and their figures are shown all the same. Load this page again in a few seconds.',
  )
