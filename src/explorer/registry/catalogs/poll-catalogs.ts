import {
  type DueFacilitator,
  postponeCatalog,
  takeDueCatalogs,
} from '../../store/registry/facilitators-due.ts'
import { removeOrphans, replaceRegistrations } from '../../store/registry/registrations-catalogs.ts'
import type { RegistryOptions } from '../registry-options.ts'
import { spread } from '../spread.ts'
import { askCatalog } from './ask-catalog.ts'

const MINUTE_MS = 60_000
const EVERY_MS = 15 * MINUTE_MS
/** Longer than a catalog may take to read and to write. */
const LEASE_MS = 10 * MINUTE_MS
/** While another process writes registrations. */
const BUSY_MS = MINUTE_MS / 6

/** Reads the catalogs that are due, one after the other; returns whether anything changed. */
export async function pollCatalogs(
  options: RegistryOptions,
  signal: AbortSignal,
): Promise<boolean> {
  let hasChanged = false
  while (!signal.aborted) {
    const [due] = await takeDueCatalogs(options.db, { limit: 1, leaseMs: LEASE_MS })
    if (!due) break
    // A read takes seconds anyway, and facilitators leave the registry seldom.
    const wasOrphaned = await removeOrphans(options.db)
    const isNew = await pollOne(options, due, signal)
    hasChanged ||= wasOrphaned || isNew
  }
  return hasChanged
}

async function pollOne(
  { db, fetchers, clock, random, log }: RegistryOptions,
  { id, baseUrl, source }: DueFacilitator,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await askCatalog(fetchers, { baseUrl, source, clock, signal })
  if (signal.aborted) {
    await postponeCatalog(db, id, 0)
    return false
  }
  if (answer.kind === 'unknown') {
    const { reason } = answer
    log.info({ facilitator: id, reason }, 'Could not read a catalog: its registrations stay')
    await postponeCatalog(db, id, spread(EVERY_MS, random))
    return false
  }
  const hasChanged = await replaceRegistrations(db, id, answer.registrations)
  await postponeCatalog(db, id, hasChanged === undefined ? BUSY_MS : spread(EVERY_MS, random))
  return hasChanged ?? false
}
