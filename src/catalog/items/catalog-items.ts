import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../platform/database/schema.ts'
import type { Filter } from '../filters/filter.ts'
import { listAssetFacts, readAssetFactsTime } from '../store/discovery/asset-facts.ts'
import {
  type ChangedListing,
  placeAfter,
  readCatalogChanges,
} from '../store/discovery/catalog-changes.ts'
import { AssetWords } from './asset-words.ts'
import { describing, type ListedItem, type ListedListing } from './listed-item.ts'
import { listedListing } from './listed-listing.ts'

export interface CatalogItemsOptions {
  readonly db: Db
  /** Called with a listing that cannot be read: it must not keep the others out of the catalog. */
  readonly onSkipped: (id: string, error: unknown) => void
}

/** An item of a page, and those of its listings that match. */
interface MatchedItem {
  readonly key: string
  /** At least one. */
  readonly listings: readonly ListedListing[]
}

export interface ItemPage {
  readonly items: readonly MatchedItem[]
  /** How many items match on all pages. */
  readonly total: number
}

/** A batch of a few MB: the process answers requests between two of them. */
const BATCH = 250

/**
 * The published listings in memory, once: the list counts, orders and filters them, and the search index is built of
 * them. To count and sort 20,000 listings takes Postgres 25 to 45 ms for each request, and this process 1 to 3 ms; what
 * an answer shows of a listing stays in Postgres.
 *
 * `refresh` reads what changed since: one index range, empty most of the time. So a list is never older than its
 * request, in any replica. Changes become visible in the order of their revisions, so none is missed.
 *
 * An item's place is the first publication of its first listing, and stays when that listing is quarantined: it is read with each
 * listing, so that nothing is kept in memory of what is not listed any more. First publications become visible in their order too, so a
 * new item never moves those before it.
 */
export class CatalogItems {
  readonly #db: Db
  readonly #onSkipped: CatalogItemsOptions['onSkipped']
  readonly #items = new Map<string, ListedItem>()
  #all: readonly ListedItem[] = []
  /** Whether `#all` has what `#items` has. */
  #isSorted = true
  #assets = new AssetWords([])
  /** When the ledger was last asked for `#assets`; undefined before they were read. */
  #assetsAt: number | null | undefined
  #revision = 0n
  #reading: Promise<number> | undefined
  #next: Promise<number> | undefined

  constructor({ db, onSkipped }: CatalogItemsOptions) {
    this.#db = db
    this.#onSkipped = onSkipped
  }

  /** Every item in the catalog's order: another array after a change, and the same objects for items without one. */
  get all(): readonly ListedItem[] {
    return this.#all
  }

  /** The revision of the catalog up to which changes were read. */
  get revision(): number {
    return Number(this.#revision)
  }

  /**
   * Reads the changes up to now; returns the database's time, in microseconds since the Unix epoch. Calls that come while one reads share
   * the next read: the one under way may have begun before a change that its caller knows of.
   */
  refresh(): Promise<number> {
    if (!this.#reading) return this.#read()
    this.#next ??= this.#reading.then(
      () => this.#read(),
      () => this.#read(),
    )
    return this.#next
  }

  /** Reads symbols and decimals of assets, when the ledger was asked for some since. */
  async refreshAssets(): Promise<void> {
    const at = await readAssetFactsTime(this.#db)
    if (at === this.#assetsAt) return
    const assets = new AssetWords(await listAssetFacts(this.#db))
    this.#assetsAt = at
    if (assets.isSameAs(this.#assets)) return
    this.#assets = assets
    for (const { key, listings: known, firstPublishedUs } of this.#items.values()) {
      const changed = known.map((each) => assets.applyTo(each))
      if (changed.some((each, place) => each !== known[place]))
        this.#set(key, changed, firstPublishedUs)
    }
    this.#sort()
  }

  /** A page of the items that have a match first published by `asOfUs`, in the catalog's order. */
  page(
    filter: Filter,
    { asOfUs, offset, limit }: { asOfUs: number; offset: number; limit: number },
  ): ItemPage {
    const isMatch = (listing: ListedListing) =>
      listing.firstPublishedUs <= asOfUs && filter.meets(listing)
    const items: MatchedItem[] = []
    let total = 0
    for (const { key, firstPublishedUs, listings } of this.#all) {
      if (firstPublishedUs > asOfUs) break
      if (!listings.some(isMatch)) continue
      if (total >= offset && items.length < limit) {
        items.push({ key, listings: listings.filter(isMatch) })
      }
      total += 1
    }
    return { items, total }
  }

  #read(): Promise<number> {
    this.#next = undefined
    const reading = this.#readChanges().finally(() => {
      if (this.#reading === reading) this.#reading = undefined
    })
    this.#reading = reading
    return reading
  }

  async #readChanges(): Promise<number> {
    let from = placeAfter(this.#revision)
    while (true) {
      const { revision, nowUs, next, listings } = await readCatalogChanges(this.#db, from, BATCH)
      if (revision < this.#revision) return this.#readAgain()
      for (const listing of listings) this.#put(listing)
      if (next) {
        from = next
        await setImmediate()
        continue
      }
      this.#sort()
      this.#revision = revision
      return nowUs
    }
  }

  /** Reads everything again after the database was restored to an earlier time. */
  #readAgain(): Promise<number> {
    this.#items.clear()
    this.#isSorted = false
    this.#revision = 0n
    return this.#readChanges()
  }

  #put(changed: ChangedListing): void {
    const { id, itemKey, itemFirstPublishedUs } = changed
    const item = this.#items.get(itemKey)
    const others = item?.listings.filter((known) => known.id !== id) ?? []
    const listing = this.#listingOf(changed)
    const known = listing ? [...others, listing] : others
    this.#set(
      itemKey,
      known.sort((a, b) => a.firstPublishedUs - b.firstPublishedUs || compare(a.id, b.id)),
      itemFirstPublishedUs,
    )
  }

  #set(key: string, listings: readonly ListedListing[], firstPublishedUs: number): void {
    const [first] = listings
    if (first) {
      const { text } = describing(listings)
      this.#items.set(key, { key, kind: first.kind, firstPublishedUs, listings, text })
    } else if (!this.#items.delete(key)) return
    this.#isSorted = false
  }

  #listingOf(changed: ChangedListing): ListedListing | undefined {
    try {
      return listedListing(changed, (network, asset) => this.#assets.of(network, asset))
    } catch (error) {
      this.#onSkipped(changed.id, error)
      return undefined
    }
  }

  #sort(): void {
    if (this.#isSorted) return
    this.#isSorted = true
    this.#all = [...this.#items.values()].sort(
      (a, b) => a.firstPublishedUs - b.firstPublishedUs || compare(a.key, b.key),
    )
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
