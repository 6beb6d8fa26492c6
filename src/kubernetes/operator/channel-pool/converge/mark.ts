import type { ChannelFacts } from '../../../../payments/channels/converge/facts.ts'
import { markedByAnother } from '../../../../payments/channels/sponsor-mark.ts'
import { annotations } from '../../../crd/names/marks.ts'
import { PoolBlocked } from '../connect/blockers.ts'
import type { Connected } from '../connect/connect.ts'

export interface TakeOver {
  /** The annotation `take-over`. */
  readonly from: string | undefined
  /** `status.takenOver`: the store from which the pool has taken its sponsor over already. */
  readonly done: string | undefined
}

/**
 * Throws `PoolBlocked` when the ledger says that another store manages the sponsor's channels, unless the pool names that store in its
 * annotation `take-over`: then the next transaction marks the sponsor with the pool's own store. An annotation counts once: of two pools
 * that keep theirs, each would otherwise merge the other's channels again and again.
 */
export function requireOwnMark(
  { mark }: Pick<ChannelFacts, 'mark'>,
  { storeId, sponsor }: Pick<Connected, 'storeId' | 'sponsor'>,
  { from, done }: TakeOver,
): void {
  if (mark === undefined || mark === storeId) return
  if (mark === from && mark !== done) return
  const says = markedByAnother(sponsor, { mark, own: storeId })
  const again = mark === from && mark === done ? 'remove and ' : ''
  const todo = `only when nothing uses store ${mark} any more, ${again}set the annotation ${annotations.takeOver}: ${mark} on this pool, which then takes the channels over`
  throw new PoolBlocked(
    'SponsorMarked',
    `${says.charAt(0).toUpperCase()}${says.slice(1)}: give this pool another sponsor, or ${todo}.`,
  )
}

const MAX_ID_LENGTH = 64

/** The annotation may name a pool instead. */
const isStoreId = (text: string): boolean => text.length <= MAX_ID_LENGTH && !text.includes('/')

/** `status.takenOver` after a pass: the annotation's store, once the ledger has the mark of the pool's own store. */
export function takenOver(
  { mark, storeId }: Pick<ChannelFacts, 'mark'> & Pick<Connected, 'storeId'>,
  { from, done }: TakeOver,
): string | undefined {
  if (from === undefined || from === storeId || !isStoreId(from)) return undefined
  return mark !== undefined && mark === storeId ? from : keptTakeOver({ from, done })
}

/** `status.takenOver` after a pass that did not see the mark: unchanged, or undefined once the annotation names another store. */
export const keptTakeOver = ({ from, done }: TakeOver): string | undefined =>
  from === done ? done : undefined
