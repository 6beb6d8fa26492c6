import type { SearchDocument } from '../search/search-document.ts'
import type { AssetFact, ChangedListing } from '../store/discovery/index-source.ts'
import { trustLevels } from '../store/tables.ts'
import { type IndexedListing, indexedListing } from './indexed-listing.ts'

interface Item {
  /** By id. */
  readonly listings: Map<string, IndexedListing>
  /** Undefined after a change, until it is asked for. */
  document: SearchDocument | undefined
}

/** The items that the index holds: a resource is one of them, on however many networks it is listed. */
export class IndexedItems {
  readonly #onSkipped: (id: string, error: unknown) => void
  readonly #items = new Map<string, Item>()
  #facts: ReadonlyMap<string, AssetFact> = new Map()

  /** @param onSkipped called with a listing that cannot be indexed: it must not keep the others from being found */
  constructor(onSkipped: (id: string, error: unknown) => void) {
    this.#onSkipped = onSkipped
  }

  /**
   * Takes over what changed; a listing that is no longer published is removed.
   *
   * @returns whether that changes a document
   */
  apply(changes: readonly ChangedListing[]): boolean {
    return changes.map((change) => this.#apply(change)).includes(true)
  }

  #apply(change: ChangedListing): boolean {
    const listing = this.#read(change)
    const item = this.#items.get(change.itemKey)
    if (listing) {
      const listings = item?.listings ?? new Map()
      listings.set(change.id, listing)
      this.#items.set(change.itemKey, { listings, document: undefined })
      return true
    }
    if (!item?.listings.delete(change.id)) return false
    item.document = undefined
    if (item.listings.size === 0) this.#items.delete(change.itemKey)
    return true
  }

  #read(change: ChangedListing): IndexedListing | undefined {
    try {
      return indexedListing(change)
    } catch (error) {
      this.#onSkipped(change.id, error)
      return undefined
    }
  }

  /** @returns whether a fact differs from those known so far */
  useFacts(facts: readonly AssetFact[]): boolean {
    const byAsset = new Map(facts.map((fact) => [keyOf(fact), fact]))
    const isSame =
      byAsset.size === this.#facts.size &&
      [...byAsset].every(([key, fact]) => isSameFact(fact, this.#facts.get(key)))
    if (isSame) return false
    this.#facts = byAsset
    for (const item of this.#items.values()) item.document = undefined
    return true
  }

  /** In the order of the catalog: first published first. Their ids are the keys of the items. */
  documents(): readonly SearchDocument[] {
    return [...this.#items]
      .map(([itemKey, item]) => {
        item.document ??= this.#documentOf(itemKey, item)
        return { document: item.document, at: firstOf(item).firstPublishedAt }
      })
      .sort((a, b) => a.at - b.at || (a.document.id < b.document.id ? -1 : 1))
      .map(({ document }) => document)
  }

  /**
   * The text is that of the listing that describes the item, as `itemOf` chooses it: of the highest trust, of these the
   * first. Whoever lists a resource first on another network decides nothing about it.
   */
  #documentOf(itemKey: string, item: Item): SearchDocument {
    const options = [...item.listings.values()].flatMap((listing) => listing.options)
    return {
      ...speakerOf(item).text,
      id: itemKey,
      options: options.map((option) => {
        const fact = this.#facts.get(keyOf(option))
        return { ...option, symbol: fact?.symbol ?? null, decimals: fact?.decimals ?? null }
      }),
    }
  }
}

const keyOf = ({ network, asset }: Pick<AssetFact, 'network' | 'asset'>): string =>
  `${network} ${asset}`

const isSameFact = (one: AssetFact, other: AssetFact | undefined): boolean =>
  one.symbol === other?.symbol && one.decimals === other.decimals

const firstOf = (item: Item): IndexedListing =>
  bestOf(item, (one, other) => one.firstPublishedAt < other.firstPublishedAt)

const speakerOf = (item: Item): IndexedListing =>
  bestOf(item, (one, other) =>
    one.trust === other.trust
      ? one.firstPublishedAt < other.firstPublishedAt
      : trustLevels.indexOf(one.trust) > trustLevels.indexOf(other.trust),
  )

function bestOf(
  { listings }: Item,
  isBetter: (one: IndexedListing, other: IndexedListing) => boolean,
): IndexedListing {
  const [first, ...others] = [...listings.values()]
  if (!first) throw new Error('an item without listings')
  return others.reduce((best, each) => (isBetter(each, best) ? each : best), first)
}
