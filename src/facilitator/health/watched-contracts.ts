import type { AcceptedAsset } from '../../x402/policy.ts'

/** A contract whose end would end payments, or something else the operator cares for. */
export interface WatchedContract {
  /** What it is called in `/health`; no two of a network share one. */
  readonly alias: string
  /** `C...` */
  readonly id: string
}

/**
 * The accepted assets by their symbols, and whatever the operator lists. A name that the operator
 * gave wins; an asset whose symbol is taken is told apart by the end of its address.
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
