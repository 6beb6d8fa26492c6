import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../platform/database/schema.ts'
import { type ChangesFrom, listChangedListings } from '../store/discovery/index-source.ts'
import type { IndexedItems } from './indexed-items.ts'

/** A page of a few MB: the process answers requests between two of them. */
const PAGE = 250

interface LoadedChanges {
  /** Where to go on the next time. */
  readonly end: ChangesFrom
  /** Whether a document changed: one of an unpublished listing is none. */
  readonly hasChanged: boolean
}

/** Brings `items` up to date with the store, page by page. */
export async function loadChanges(
  db: Db,
  items: IndexedItems,
  from: ChangesFrom,
  signal: AbortSignal,
): Promise<LoadedChanges> {
  let end = from
  let hasChanged = false
  for (;;) {
    signal.throwIfAborted()
    const page = await listChangedListings(db, end, PAGE)
    const last = page.at(-1)
    if (!last) return { end, hasChanged }
    hasChanged = items.apply(page) || hasChanged
    end = { revision: last.revision, id: last.id }
    if (page.length < PAGE) return { end, hasChanged }
    await setImmediate()
  }
}
