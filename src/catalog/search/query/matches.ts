import { usdcContracts } from '../../../platform/core/caip2.ts'
import type { SearchDocument, SearchOption } from '../search-document.ts'
import type { Constraints, Price } from './constraints.ts'

// A dollar is a unit of these contracts. A symbol proves nothing: anyone can issue an asset called USDC.
const DOLLARS: ReadonlySet<string> = new Set(Object.values(usdcContracts))

/** The options of a document that meet every constraint, each option all of them together; empty when it does not match. */
export function matchingOptions(
  document: SearchDocument,
  constraints: Constraints,
): readonly SearchOption[] {
  const { types, exceptTypes, extensions, everyNetwork } = constraints
  if (!types.every((type) => document.type === type)) return []
  if (exceptTypes.includes(document.type)) return []
  if (!extensions.every((key) => document.extensions.includes(key))) return []
  const options = document.options.filter((option) => optionMatches(option, constraints))
  const served = everyNetwork.every((network) =>
    options.some((option) => option.network === network),
  )
  return served ? options : []
}

export const optionMatches = (option: SearchOption, constraints: Constraints): boolean =>
  constraints.networks.every((network) => option.network === network) &&
  !constraints.exceptNetworks.includes(option.network) &&
  constraints.schemes.every((scheme) => option.scheme === scheme) &&
  !constraints.exceptSchemes.includes(option.scheme) &&
  constraints.assets.every((asset) => isAsset(option, asset)) &&
  !constraints.exceptAssets.some((asset) => isAsset(option, asset)) &&
  constraints.payTos.every(
    (address) => option.payTo === address || option.baseAccount === address,
  ) &&
  constraints.maxPrices.every((price) => isWithin(option, price))

const isAsset = (option: SearchOption, asset: string): boolean =>
  option.asset === asset || option.symbol?.toUpperCase() === asset.toUpperCase()

/** An asset whose decimals are unknown has no comparable price, except in base units. */
function isWithin(option: SearchOption, { value, scale, unit }: Price): boolean {
  if (unit === 'base units') return atMost(option.amount, 0, value, scale)
  if (option.decimals === null) return false
  const comparable = unit === 'USD' ? DOLLARS.has(option.asset) : isAsset(option, unit.asset)
  return comparable && atMost(option.amount, option.decimals, value, scale)
}

/** Whether `left` is at most `right`, both divided by ten to the power of their scales. */
const atMost = (left: bigint, leftScale: number, right: bigint, rightScale: number): boolean =>
  left * 10n ** BigInt(rightScale) <= right * 10n ** BigInt(leftScale)
