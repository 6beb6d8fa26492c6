import { jsonOf } from '../../platform/core/errors/read-answer.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { DemoFailure } from '../demo-failure.ts'

/** A question that both paths of the paid API answer, in words that their descriptions do not use. */
export const QUESTION = 'will it rain tomorrow'

/** The catalog asks the API itself before it lists it; that takes a second or two. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 200

interface Wanted {
  readonly facilitatorUrl: string
  readonly paidUrl: string
  readonly meteredUrl: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Asks the catalog's search until it names both paths of the paid API. Throws DemoFailure when it does not. */
export async function findListings({
  facilitatorUrl,
  paidUrl,
  meteredUrl,
  clock,
  signal,
}: Wanted): Promise<void> {
  const search = new URL('/discovery/search', facilitatorUrl)
  search.searchParams.set('query', QUESTION)
  const giveUpAt = clock.now() + PATIENCE_MS
  while (true) {
    const listed = await resourcesOf(search, signal)
    const missing = [paidUrl, meteredUrl].find((url) => !listed.includes(url))
    if (missing === undefined) return
    if (clock.now() > giveUpAt) {
      throw new DemoFailure(
        `the catalog does not list ${missing}; see svc catalog explain ${missing}`,
      )
    }
    await clock.sleep(PAUSE_MS, signal)
  }
}

async function resourcesOf(search: URL, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await fetch(search, { signal })
  if (!answer.ok) return []
  const { resources } = (await jsonOf(answer)) as { resources: { resource: string }[] }
  return resources.map(({ resource }) => resource)
}
