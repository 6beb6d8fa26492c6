import {
  type DueFacilitator,
  postponeCatalog,
  takeDueCatalogs,
} from '../../store/registry/facilitators-due.ts'
import {
  refreshRegistered,
  removeOrphans,
  replaceRegistrations,
} from '../../store/registry/registrations-catalogs.ts'
import type { RegistryOptions } from '../registry-options.ts'
import { spread } from '../spread.ts'
import { askCatalog } from './ask-catalog.ts'

const MINUTE_MS = 60_000
const EVERY_MS = 15 * MINUTE_MS
/** Longer than a catalog may take to read and to write. */
const LEASE_MS = 10 * MINUTE_MS
/** While another process writes registrations. */
const BUSY_MS = MINUTE_MS / 6

/** A read takes a minute at most, see `askCatalog`: up to 60 catalogs that all take that long delay no other one. */
const AT_ONCE = 4

type Read = (signal: AbortSignal) => Promise<boolean>
type InTurn = <Result>(write: () => Promise<Result>) => Promise<Result>

/**
 * Each reads catalogs that are due, one after the other, and returns whether anything changed. They read side by side, so that a slow
 * catalog holds up no other one, and write in turn, since registrations have one lock.
 */
export function catalogReaders(options: RegistryOptions): readonly Read[] {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn: InTurn = (write) => {
    const written = last.then(write)
    last = written.catch(() => undefined)
    return written
  }
  return Array.from({ length: AT_ONCE }, () => (signal) => pollCatalogs(options, inTurn, signal))
}

async function pollCatalogs(
  options: RegistryOptions,
  inTurn: InTurn,
  signal: AbortSignal,
): Promise<boolean> {
  let hasChanged = false
  while (!signal.aborted) {
    const [due] = await takeDueCatalogs(options.db, { limit: 1, leaseMs: LEASE_MS })
    if (!due) break
    // A read takes seconds anyway, and facilitators leave the registry seldom.
    const wasOrphaned = await inTurn(() => removeOrphans(options.db))
    const isNew = await pollOne(options, inTurn, due, signal)
    hasChanged ||= wasOrphaned || isNew
  }
  return hasChanged
}

async function pollOne(
  { db, fetchers, clock, random, log }: RegistryOptions,
  inTurn: InTurn,
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
    const hasChanged = await inTurn(() => refreshRegistered(db, id))
    await postponeCatalog(db, id, spread(EVERY_MS, random))
    return hasChanged
  }
  const hasChanged = await inTurn(() => replaceRegistrations(db, id, answer.registrations))
  await postponeCatalog(db, id, hasChanged === undefined ? BUSY_MS : spread(EVERY_MS, random))
  return hasChanged ?? false
}
