import type { Clock } from '../core/clock.ts'
import { DemoFailure } from './demo-failure.ts'

/** A question that the paid API answers, in words that its description does not use. */
export const QUESTION = 'will it rain tomorrow'

/** The catalog asks the API itself before it lists it; that takes a second or two. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 200

interface Wanted {
  readonly facilitatorUrl: string
  readonly paidUrl: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Asks the catalog's search until it names the paid API. Throws DemoFailure when it does not. */
export async function findListing({
  facilitatorUrl,
  paidUrl,
  clock,
  signal,
}: Wanted): Promise<void> {
  const search = new URL('/discovery/search', facilitatorUrl)
  search.searchParams.set('query', QUESTION)
  const giveUpAt = clock.now() + PATIENCE_MS
  while (!(await resourcesOf(search, signal)).includes(paidUrl)) {
    if (clock.now() > giveUpAt) {
      throw new DemoFailure(
        `the catalog does not list ${paidUrl}; see svc catalog explain ${paidUrl}`,
      )
    }
    await clock.sleep(PAUSE_MS, signal)
  }
}

async function resourcesOf(search: URL, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await fetch(search, { signal })
  if (!answer.ok) return []
  const { resources } = (await answer.json()) as { resources: { resource: string }[] }
  return resources.map(({ resource }) => resource)
}
