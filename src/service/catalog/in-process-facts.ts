import { failureOfStatus, ToolFailure } from '../../buying/mcp/answers/tool-failure.ts'
import type { Facts } from '../../buying/mcp/facts/facts.ts'
import { answerListing } from '../../catalog/discovery/listing-routes.ts'
import type { AnswerSearch } from '../../catalog/discovery/search-route.ts'
import { type DryRun, TOO_MANY } from '../../catalog/origin/validate-route.ts'
import { openReads } from '../../explorer/open-reads.ts'
import { readIngest } from '../../explorer/store/ingest/read-ingest.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { Fault } from '../../platform/core/errors/faults.ts'
import { Outage } from '../../platform/core/errors/outage.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'

interface FactsParts {
  readonly db: Db
  readonly clock: SteadyClock
  readonly networks: readonly NetworkId[]
  readonly search: AnswerSearch
  readonly dryRun: DryRun
}

/** The facts of the tools at `/mcp`, as this process knows them; of payments what an explorer wrote into the database. */
export function inProcessFacts(parts: FactsParts): (clientAddress: string) => Facts {
  const { db, clock, networks, search, dryRun } = parts
  const reads = openReads({ db, clock, networks, watchedAssets: {} })
  const ofExplorer = <T>(read: () => Promise<T>) =>
    understood(async () => {
      const progress = await readIngest(db, networks)
      if (progress.some(({ epoch }) => epoch !== undefined)) return read()
      throw new ToolFailure('not_configured', 'no explorer runs beside this service')
    })
  return (clientAddress) => ({
    search: (query) => understood(() => search(query)),
    listing: (id) => understood(() => answerListing(db, id)),
    validate: (question, signal) =>
      understood(async () => {
        const answer = await dryRun(clientAddress, question, signal)
        if ('retryAfterSeconds' in answer) throw new Fault('rate_limited', { reason: TOO_MANY })
        return answer
      }),
    payment: (hash) => ofExplorer(() => reads.payment(hash)),
    seller: (payTo, network) => ofExplorer(() => reads.seller(payTo, network)),
  })
}

async function understood<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Fault) throw failureOfStatus(error.status, error.message, { cause: error })
    if (error instanceof Outage) {
      throw new ToolFailure('unavailable', error.publicReason, { cause: error })
    }
    throw error
  }
}
