import { storableText } from '../../platform/database/storable-text.ts'

const MAX_LABEL_LENGTH = 64
/** Distinct names of unaccepted assets, per caller and day. */
const MAX_UNACCEPTED_ASSETS = 200
/** Label of every further unaccepted asset. */
export const OTHER_ASSETS = 'other'

/**
 * Labels of assets in the counts. A caller may put any asset name into the requirements, so the number
 * of names that are not accepted is bounded per caller and day.
 */
export class AssetLabels {
  readonly #named = new Map<string, Set<string>>()
  #day = ''

  /** @param day in UTC */
  labelOf(caller: string, day: string, asset = '', isAccepted = false): string {
    const label = storableText(asset, MAX_LABEL_LENGTH)
    if (isAccepted || label === '') return label
    const named = this.#namedBy(caller, day)
    if (named.size >= MAX_UNACCEPTED_ASSETS && !named.has(label)) return OTHER_ASSETS
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
