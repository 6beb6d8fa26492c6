/** Questions to the catalog of a facilitator. */
import type { z } from 'zod'
import type { SingleAnswer } from '../../catalog/discovery/answer-schemas.ts'
import type { CatalogItem } from '../../catalog/discovery/item-schema.ts'
import { connectionProblem } from '../../platform/core/errors/connection-problem.ts'
import { discoveryPaths } from '../../platform/core/http-paths.ts'
import { cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import { type SellerHttp, SellerTooSlow } from '../seller/seller-http.ts'
import { textOf } from '../seller/shown-answer.ts'
import { listingAnswer, searchAnswer } from './catalog-answers.ts'

/** Why the catalog did not answer. The message is a sentence without a full stop. */
export class CatalogFailure extends Error {
  override readonly name = 'CatalogFailure'
  readonly code: 'unreachable' | 'not_found' | 'refused' | 'no_catalog'

  constructor(code: CatalogFailure['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** `state` is of a single listing. */
export type FoundItem = CatalogItem & Partial<Pick<SingleAnswer, 'state'>>

interface Found {
  readonly items: readonly FoundItem[]
  /** Whether there are more than were asked for. */
  readonly hasMore: boolean
  /** Whether the best ones may not be what was asked for. */
  readonly isUnsure: boolean
}

/** Parameters of the search, as docs/catalog.md has them. */
type SearchQuery = Readonly<Partial<Record<'network' | 'maxPrice' | 'limit', string>>> & {
  readonly query: string
}

export interface CatalogClient {
  /** Throws CatalogFailure. */
  search(query: SearchQuery): Promise<Found>
  /** A listing in any state, by its id. Throws CatalogFailure. */
  listing(id: string): Promise<FoundItem>
}

const LIMITS = { timeLimitMs: 20_000, maxBytes: 4_194_304 }

/** @param baseUrl of a facilitator or a catalog */
export function catalogClient(http: SellerHttp, baseUrl: string): CatalogClient {
  const base = baseUrl.replace(/\/+$/, '')
  const ask = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
    const answer = await http.send({ url: base + path }, LIMITS).catch((error: unknown) => {
      const slow = error instanceof SellerTooSlow
      const says = slow ? error.message : connectionProblem(error).says
      throw new CatalogFailure('unreachable', `the catalog ${base} ${says}`, error)
    })
    const body = jsonOf(textOf(answer.body, answer.cut !== null))
    const parsed = schema.safeParse(body)
    if (answer.status === 200 && parsed.success) return parsed.data
    throw refusal(base, answer.status, body)
  }
  return {
    async search(query) {
      const { resources, pagination, svc } = await ask(
        `${discoveryPaths.search}?${new URLSearchParams(query)}`,
        searchAnswer,
      )
      return {
        items: resources,
        hasMore: pagination.cursor !== null,
        isUnsure: svc.lowConfidence ?? false,
      }
    },
    listing: (id) =>
      ask(discoveryPaths.listing.replace(':id', encodeURIComponent(id)), listingAnswer),
  }
}

function refusal(base: string, status: number, body: unknown): CatalogFailure {
  const { message, error } = Object(body)
  const reason = [Object(error).reason, error, message].find((each) => typeof each === 'string')
  if (reason === undefined) {
    const says = `${base} answered ${status} and not as a catalog does`
    return new CatalogFailure('no_catalog', says)
  }
  const code = status === 404 ? 'not_found' : 'refused'
  const says = cutTo(300, cleanLine(reason)).replace(/\.$/, '')
  return new CatalogFailure(code, `the catalog answered ${status}: ${says}`)
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
