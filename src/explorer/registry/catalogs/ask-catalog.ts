import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Registration } from '../../store/registry/registrations.ts'
import { isNotServed } from '../is-not-served.ts'
import type { RegistryFetchers } from '../registry-fetchers.ts'
import { type CatalogPage, readCatalogPage } from './read-catalog.ts'

/** The payees in a facilitator's catalog, each with its first item; `unknown`: it could not be read to its end. */
export type CatalogAnswer =
  | { readonly kind: 'read'; readonly registrations: readonly Registration[] }
  | { readonly kind: 'unknown'; readonly reason: string }

const PAGE_SIZE = 100
const MAX_PAGES = 200
/** Distinct payees of one catalog. Anyone can announce a facilitator: 1,000 of them register a million at most. */
const MAX_REGISTRATIONS = { configured: 10_000, announced: 1_000 }
/** Few catalogs are read at once: a slow one must not hold up the others for long. */
const MAX_MS = 60_000
/** Between two pages: neither side shall notice the reading. */
const PAUSE_MS = 50

interface AskedCatalog {
  readonly baseUrl: string
  readonly source: 'configured' | 'announced'
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Reads the whole catalog of a facilitator, page by page. Never throws. */
export async function askCatalog(
  fetchers: Pick<RegistryFetchers, 'catalog'>,
  asked: AskedCatalog,
): Promise<CatalogAnswer> {
  const { clock, signal } = asked
  const endsAt = clock.now() + MAX_MS
  const most = MAX_REGISTRATIONS[asked.source]
  const found = new Map<string, Registration>()
  let [offset, limit] = [0, PAGE_SIZE]
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    if (clock.now() > endsAt) return unknown('The catalog took longer than a minute to read.')
    const page = await askPage(fetchers, asked, { offset, limit })
    if (page === 'too large' && limit > 1) {
      limit = Math.ceil(limit / 4)
      continue
    }
    if (page === 'none') break
    if (typeof page === 'string') return unknown('An item of the catalog is too large.')
    if ('reason' in page) return unknown(page.reason)
    for (const each of page.registrations) keep(found, each)
    offset += page.items
    const isLast = page.items === 0 || (page.total !== undefined && offset >= page.total)
    if (isLast || found.size >= most) break
    await clock.sleep(PAUSE_MS, signal).catch(() => undefined)
  }
  return { kind: 'read', registrations: [...found.values()].slice(0, most) }
}

const unknown = (reason: string) => ({ kind: 'unknown', reason }) as const

function keep(found: Map<string, Registration>, registration: Registration): void {
  const name = `${registration.network} ${registration.payTo}`
  if (!found.has(name)) found.set(name, registration)
}

async function askPage(
  { catalog }: Pick<RegistryFetchers, 'catalog'>,
  { baseUrl, signal }: AskedCatalog,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<CatalogPage | 'none' | 'too large' | { readonly reason: string }> {
  const url = new URL(`${baseUrl}/discovery/resources`)
  url.searchParams.set('limit', String(limit))
  url.searchParams.set('offset', String(offset))
  const answer = await catalog.fetch(url, { headers: { accept: 'application/json' }, signal })
  if ('kind' in answer) return answer.kind === 'too_large' ? 'too large' : answer
  if (offset === 0 && isNotServed(answer.status)) return 'none'
  if (answer.status !== 200) return { reason: `The catalog answered with status ${answer.status}.` }
  return readCatalogPage(answer.body) ?? { reason: 'The catalog did not answer with items.' }
}
