import type { AcceptedAsset } from '../../payments/protocol/policy.ts'

/** A contract whose TTL `/health` reports: the settlement contract, an accepted asset, or one that the administrator lists. */
export interface WatchedContract {
  /** Its name in `/health`, unique per network. */
  readonly alias: string
  /** `C...` */
  readonly id: string
}

/** The name of the settlement contract of the scheme `upto`, whatever the administrator lists under it. */
export const UPTO_ALIAS = 'upto'

/**
 * The settlement contract of the scheme `upto`, where it is served, the contracts that the administrator lists, and the
 * accepted assets under their symbols. A contract that is listed keeps its listed alias, except for the first one; one
 * whose name is taken gets the end of its address appended.
 */
export function watchedContracts(
  assets: readonly Pick<AcceptedAsset, 'contract' | 'symbol'>[],
  listed: readonly WatchedContract[],
  upto?: string | undefined,
): readonly WatchedContract[] {
  const watched: WatchedContract[] = upto === undefined ? [] : [{ alias: UPTO_ALIAS, id: upto }]
  for (const { alias, id } of [...listed, ...assets.map(toWatched)]) {
    if (watched.some((other) => other.id === id)) continue
    const isTaken = watched.some((other) => other.alias === alias)
    watched.push({ alias: isTaken ? `${alias}-${id.slice(-4)}` : alias, id })
  }
  return watched
}

const toWatched = ({
  contract: id,
  symbol: alias,
}: Pick<AcceptedAsset, 'contract' | 'symbol'>) => ({
  alias,
  id,
})
