import type { AcceptedAsset } from '../../x402/policy.ts'

/** A contract whose TTL `/health` reports: an accepted asset, or one that the administrator lists. */
export interface WatchedContract {
  /** Its name in `/health`, unique per network. */
  readonly alias: string
  /** `C...` */
  readonly id: string
}

/**
 * The contracts that the administrator lists, and the accepted assets under their symbols. An asset that
 * is listed keeps its listed alias; one whose symbol is taken gets the end of its address appended.
 */
export function watchedContracts(
  assets: readonly Pick<AcceptedAsset, 'contract' | 'symbol'>[],
  listed: readonly WatchedContract[],
): readonly WatchedContract[] {
  const watched = [...listed]
  for (const { contract: id, symbol } of assets) {
    if (watched.some((other) => other.id === id)) continue
    const isTaken = watched.some(({ alias }) => alias === symbol)
    watched.push({ alias: isTaken ? `${symbol}-${id.slice(-4)}` : symbol, id })
  }
  return watched
}
