import type { FilterableOption } from '../filters/filter.ts'
import type { AssetFact } from '../store/discovery/asset-facts.ts'
import type { ListedListing } from './listed-item.ts'

/** Symbols and decimals of the assets in which listings are sold. They never change: another one replaces it. */
export class AssetWords {
  readonly #facts: ReadonlyMap<string, AssetFact>

  constructor(facts: readonly AssetFact[]) {
    this.#facts = new Map(facts.map((fact) => [keyOf(fact.network, fact.asset), fact]))
  }

  of(network: string, asset: string): AssetFact | undefined {
    return this.#facts.get(keyOf(network, asset))
  }

  isSameAs(other: AssetWords): boolean {
    return (
      this.#facts.size === other.#facts.size &&
      [...this.#facts.values()].every((fact) => {
        const known = other.of(fact.network, fact.asset)
        return known?.symbol === fact.symbol && known.decimals === fact.decimals
      })
    )
  }

  /** The same object when nothing is new about its assets. */
  applyTo(listing: ListedListing): ListedListing {
    const options = listing.options.map((option) => this.#applyTo(listing.network, option))
    const isSame = options.every((option, at) => option === listing.options[at])
    return isSame ? listing : { ...listing, options }
  }

  #applyTo(network: string, option: FilterableOption): FilterableOption {
    const { symbol = null, decimals = null } = this.of(network, option.asset) ?? {}
    const isSame = option.symbol === symbol && option.decimals === decimals
    return isSame ? option : { ...option, symbol, decimals }
  }
}

const keyOf = (network: string, asset: string): string => `${network} ${asset}`
