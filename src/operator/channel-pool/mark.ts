import { annotations } from '../../api/marks.ts'
import { markedByAnother } from '../../channels/sponsor-mark.ts'
import { PoolBlocked } from './blockers.ts'
import type { Connected } from './connect.ts'
import type { ObservedPool } from './observe.ts'

/**
 * Throws `PoolBlocked` when the ledger says that another store manages the sponsor's channels, unless the pool names that store in its
 * annotation `take-over`: then the next transaction marks the sponsor with the pool's own store.
 */
export function requireOwnMark(
  { mark }: Pick<ObservedPool, 'mark'>,
  { storeId, sponsor }: Pick<Connected, 'storeId' | 'sponsor'>,
  takeOver: string | undefined,
): void {
  if (mark === undefined || mark === storeId) return
  if (mark === takeOver && storeId !== undefined) return
  const says = markedByAnother(sponsor, { mark, own: storeId })
  const todo =
    storeId === undefined
      ? 'run svc migrate, or let the Facilitator do so, if it is the same database'
      : `only when nothing uses store ${mark} any more, set the annotation ${annotations.takeOver}: ${mark} on this pool, which then takes the channels over`
  throw new PoolBlocked(
    'SponsorMarked',
    `${says.charAt(0).toUpperCase()}${says.slice(1)}: give this pool another sponsor, or ${todo}.`,
  )
}
