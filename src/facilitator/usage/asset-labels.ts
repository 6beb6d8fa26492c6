const LONGEST = 64
/** How many names of unaccepted assets a caller is told apart by on one day. */
const MOST = 200
/** Counts under every further name. */
export const OTHER_ASSETS = 'other'

/**
 * What an asset is called in the counts. Whoever asks writes into the requirements what he likes, so
 * the names of assets that are not accepted are bounded, for each caller and day.
 */
export class AssetLabels {
  readonly #named = new Map<string, Set<string>>()
  #day = ''

  /** @param day in UTC */
  labelOf(caller: string, day: string, asset = '', isAccepted = false): string {
    const label = storable(asset)
    if (isAccepted || label === '') return label
    const named = this.#namedBy(caller, day)
    if (named.size >= MOST && !named.has(label)) return OTHER_ASSETS
    named.add(label)
    return label
  }

  #namedBy(caller: string, day: string): Set<string> {
    if (day !== this.#day) this.#named.clear()
    this.#day = day
    const named = this.#named.get(caller) ?? new Set()
    this.#named.set(caller, named)
    return named
  }
}

/** Postgres takes NUL in no text, and half a surrogate pair in no JSON. */
const storable = (asset: string): string =>
  asset.replaceAll('\0', '').slice(0, LONGEST).toWellFormed()
