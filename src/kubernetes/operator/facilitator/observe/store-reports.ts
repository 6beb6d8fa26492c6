/** The facilitator pods report through the database: what the keepers of settlement contracts did, and what trials of the terms found. */
import { listTermsReports } from '../../../../payments/store/replica-heartbeats.ts'
import { isPostgresUrl, urlOfOthers } from '../../../../platform/core/postgres-url.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../../../platform/core/time/time-limit.ts'
import type { Store } from '../../../../platform/database/open.ts'
import type { Logger } from '../../../../platform/telemetry/logs/logger.ts'
import type { SharedResources } from '../../store-access/shared-resources.ts'
import { MAX_CA_LENGTH, MAX_URL_LENGTH, storeKey } from '../../store-access/store-key.ts'
import { databaseFile, secretId } from '../spec/secret-files.ts'
import { type Keepers, keepersIn, lastKnownKeepers } from './keepers.ts'
import type { ObservedFacilitator } from './observe.ts'

/** The reports of live pods on their terms, of all networks. Undefined: not read in this pass. */
type TermsReports = Awaited<ReturnType<typeof listTermsReports>> | undefined

export interface StoreReports {
  readonly keepers: Keepers
  readonly terms: TermsReports
}

export interface StoreReportDeps {
  /** Open stores by `storeKey`. */
  readonly stores: SharedResources<Store>
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

/** A database that does not answer must not hold up the pass, which can do everything else without it. */
const READ_LIMIT_MS = 3_000

/**
 * Reads the migrated database. Returns what is known already when it does not answer: the pools report that. Opens it only
 * where a pod or a keeper may have written.
 */
export async function readStoreReports(
  observed: ObservedFacilitator,
  { stores, clock, logger }: StoreReportDeps,
  signal: AbortSignal,
): Promise<StoreReports> {
  const { facilitator, secrets, servingPods } = observed
  const { uid } = facilitator.metadata
  const { caSecretRef } = facilitator.spec.database
  const hasCa = caSecretRef !== undefined
  const url = urlFor(secrets.get(secretId(databaseFile(facilitator).ref)), hasCa)
  const ca = caSecretRef && secrets.get(secretId(caSecretRef))
  const isWritten = servingPods.length > 0 || facilitator.spec.networks.some(({ upto }) => upto)
  if (!isWritten || url === undefined || (ca ?? '').length > MAX_CA_LENGTH) {
    await stores.release(uid)
    return { keepers: new Map(), terms: undefined }
  }
  const read = async (): Promise<StoreReports> => {
    const { db } = await stores.acquire(facilitator.metadata, storeKey({ url, ca }))
    const [keepers, terms] = await Promise.all([
      keepersIn(db, observed),
      listTermsReports(db, servingPods),
    ])
    return { keepers, terms }
  }
  try {
    return await withTimeLimit({ clock, ms: READ_LIMIT_MS, signal }, read)
  } catch (error) {
    if (signal.aborted) throw error
    logger.warn(
      { err: error, facilitator: facilitator.metadata.name },
      'Could not read what the facilitator pods report',
    )
    return { keepers: lastKnownKeepers(facilitator), terms: undefined }
  }
}

/** The URL if the operator can use it: pods may read files that the operator does not. */
function urlFor(text: string | undefined, hasCa: boolean): string | undefined {
  const isUrl = text !== undefined && text.length <= MAX_URL_LENGTH && isPostgresUrl(text)
  const allowed = isUrl && urlOfOthers(text, { hasCa })
  return allowed && 'url' in allowed ? allowed.url : undefined
}
