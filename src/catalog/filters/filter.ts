import { usdcContracts } from '../../platform/core/caip2.ts'
import { type Trust, trustLevels } from '../store/tables.ts'
import type { Constraints, Price } from './constraints.ts'

/** One way to pay for a resource. */
export interface FilterableOption {
  readonly scheme: string
  readonly payTo: string
  /** The `G...` account of a muxed `payTo`; otherwise the same. */
  readonly account: string
  /** Contract of the asset. */
  readonly asset: string
  /** Base units of the asset. */
  readonly amount: bigint
  /** Null until it was read from the ledger. */
  readonly symbol: string | null
  readonly decimals: number | null
}

/** A resource on one network. */
export interface FilterableListing {
  readonly kind: string
  readonly network: string
  readonly trust: Trust
  readonly extensions: readonly string[]
  /** All on its network; at least one. */
  readonly options: readonly FilterableOption[]
}

export interface Filter {
  /** Whether a listing meets the constraints, and one of its options all those on options. */
  meets(listing: FilterableListing): boolean
  /** The places in `options` of those that meet them; none when the listing itself does not. */
  placesIn(listing: FilterableListing): readonly number[]
  /** Whether a resource meets them with one of its listings, and with one on each of `everyNetwork`. */
  matches(listings: readonly FilterableListing[]): boolean
}

type Test<T> = (value: T) => boolean

/** The one filter of the catalog: of its list, its search, and the options that an answer shows. */
export function filterOf(constraints: Constraints): Filter {
  const passes = allOf(listingTests(constraints))
  const ofOption = optionTests(constraints)
  const fits = allOf(ofOption)
  const { everyNetwork } = constraints
  const meets: ListingTest =
    ofOption.length === 0 ? passes : (listing) => passes(listing) && listing.options.some(fits)
  return {
    meets,
    placesIn: (listing) =>
      passes(listing)
        ? listing.options.flatMap((option, place) => (fits(option) ? [place] : []))
        : [],
    matches: (listings) =>
      listings.some(meets) &&
      everyNetwork.every((id) => listings.some((each) => each.network === id && meets(each))),
  }
}

/** A list has one filter or none most of the time, and 20,000 listings to try it on. */
function allOf<T>(tests: readonly Test<T>[]): Test<T> {
  const [first, ...others] = tests
  if (!first) return () => true
  return others.length === 0 ? first : (value) => tests.every((test) => test(value))
}

type ListingTest = Test<FilterableListing>
type OptionTest = Test<FilterableOption>

const listingTests = (all: Constraints): readonly ListingTest[] => [
  ...all.networks.map(
    (id): ListingTest =>
      ({ network }) =>
        network === id,
  ),
  ...all.exceptNetworks.map(
    (id): ListingTest =>
      ({ network }) =>
        network !== id,
  ),
  ...all.types.map(
    (type): ListingTest =>
      ({ kind }) =>
        kind === type,
  ),
  ...all.exceptTypes.map(
    (type): ListingTest =>
      ({ kind }) =>
        kind !== type,
  ),
  ...all.extensions.map(
    (key): ListingTest =>
      ({ extensions }) =>
        extensions.includes(key),
  ),
  ...all.leastTrust.map(hasAtLeast),
]

/** No listing has a level that is unknown. */
function hasAtLeast(level: string): ListingTest {
  const least = (trustLevels as readonly string[]).indexOf(level)
  const accepted: ReadonlySet<Trust> = new Set(least === -1 ? [] : trustLevels.slice(least))
  return ({ trust }) => accepted.has(trust)
}

const optionTests = (all: Constraints): readonly OptionTest[] => [
  ...all.schemes.map(
    (name): OptionTest =>
      ({ scheme }) =>
        scheme === name,
  ),
  ...all.exceptSchemes.map(
    (name): OptionTest =>
      ({ scheme }) =>
        scheme !== name,
  ),
  ...all.payTos.map(isPaidTo),
  ...all.assets.map(isAsset),
  ...all.exceptAssets.map(isAsset).map(
    (test): OptionTest =>
      (option) =>
        !test(option),
  ),
  ...all.maxPrices.map(isWithin),
]

const isPaidTo =
  (address: string): OptionTest =>
  ({ payTo, account }) =>
    payTo === address || account === address

function isAsset(asset: string): OptionTest {
  const upperCase = asset.toUpperCase()
  return (option) => option.asset === asset || option.symbol?.toUpperCase() === upperCase
}

// A dollar is a unit of these contracts. A symbol proves nothing: anyone can issue an asset called USDC.
const DOLLARS: ReadonlySet<string> = new Set(Object.values(usdcContracts))

/** An asset whose decimals are unknown has no comparable price, except in base units. */
function isWithin({ value, scale, unit }: Price): OptionTest {
  if (unit === 'base units') return ({ amount }) => atMost(amount, 0, value, scale)
  const isComparable: OptionTest =
    unit === 'USD' ? ({ asset }) => DOLLARS.has(asset) : isAsset(unit.asset)
  return (option) =>
    option.decimals !== null &&
    isComparable(option) &&
    atMost(option.amount, option.decimals, value, scale)
}

/** Whether `left` is at most `right`, both divided by ten to the power of their scales. */
const atMost = (left: bigint, leftScale: number, right: bigint, rightScale: number): boolean =>
  left * 10n ** BigInt(rightScale) <= right * 10n ** BigInt(leftScale)
