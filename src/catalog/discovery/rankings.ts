import { Fault } from '../../platform/core/errors/faults.ts'
import { LruMap } from '../../platform/core/language/lru-map.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { SearchAnswer, SearchRequest, SearchService } from '../search/search-service.ts'
import { type CursorFacts, digestOf } from './cursor.ts'

/** About 13 MiB at most: an answer has at most 200 keys of 64 characters. */
const MAX_KEPT = 1_000
const KEPT_MS = 600_000

interface Kept {
  readonly answer: SearchAnswer
  readonly untilMs: number
}

/** The ranked list that the pages of one search share. */
export interface Ranking {
  readonly answer: SearchAnswer
  /** The digest of its item keys. */
  readonly digest: Buffer
}

/**
 * Ranks the first page of a search, and keeps the ranking for ten minutes: later pages come from it while the index
 * moves on. A process that has it no more, or never had it, ranks again, which is right only when the same list comes
 * out at the same revision.
 */
export class Rankings {
  readonly #search: SearchService
  readonly #clock: Pick<SteadyClock, 'monotonic'>
  readonly #kept = new LruMap<string, Kept>(MAX_KEPT)

  constructor(search: SearchService, clock: Pick<SteadyClock, 'monotonic'>) {
    this.#search = search
    this.#clock = clock
  }

  async first(request: SearchRequest): Promise<Ranking> {
    const answer = await this.#rank(request)
    const digest = digestOf(answer.itemKeys)
    this.#keep({ request: digestOf(request), ranking: digest, revision: answer.revision }, answer)
    return { answer, digest }
  }

  /** Throws the fault `search_cursor_expired` when the list of the first page cannot be had any more. */
  async later(request: SearchRequest, cursor: CursorFacts): Promise<Ranking> {
    const kept = this.#kept.get(nameOf(cursor))
    if (kept && this.#clock.monotonic() < kept.untilMs) {
      return { answer: kept.answer, digest: cursor.ranking }
    }
    const answer = await this.#rank(request)
    const isSame = digestOf(answer.itemKeys).equals(cursor.ranking)
    if (answer.revision !== cursor.revision || !isSame) throw new Fault('search_cursor_expired')
    this.#keep(cursor, answer)
    return { answer, digest: cursor.ranking }
  }

  async #rank(request: SearchRequest): Promise<SearchAnswer> {
    const answer = await this.#search.search(request)
    if (answer) return answer
    throw new Fault('service_unavailable', { reason: 'the search index is not built yet' })
  }

  #keep(list: Omit<CursorFacts, 'position'>, answer: SearchAnswer): void {
    this.#kept.set(nameOf(list), { answer, untilMs: this.#clock.monotonic() + KEPT_MS })
  }
}

const nameOf = ({ request, ranking, revision }: Omit<CursorFacts, 'position'>): string =>
  `${revision} ${request.toString('hex')} ${ranking.toString('hex')}`
