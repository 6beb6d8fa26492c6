/** A price ceiling: `value` divided by 10 to the power of `scale`, in US dollars, units of an asset, or base units. */
export type Price = Readonly<{
  value: bigint
  scale: number
  unit: 'USD' | 'base units' | Readonly<{ asset: string }>
}>

/** The properties that a resource must have, beyond the words of the question. All of them hold, each value of each list. */
export type Constraints = Readonly<{
  types: readonly string[]
  exceptTypes: readonly string[]
  extensions: readonly string[]
  /** Names of trust levels: the resource has at least each. */
  leastTrust: readonly string[]
  /** The resource must be payable on each of these, under all the conditions below. */
  everyNetwork: readonly string[]
  networks: readonly string[]
  exceptNetworks: readonly string[]
  /** Contracts, or symbols in upper case. */
  assets: readonly string[]
  exceptAssets: readonly string[]
  schemes: readonly string[]
  exceptSchemes: readonly string[]
  payTos: readonly string[]
  maxPrices: readonly Price[]
}>

export const NO_CONSTRAINTS: Constraints = {
  types: [],
  exceptTypes: [],
  extensions: [],
  leastTrust: [],
  everyNetwork: [],
  networks: [],
  exceptNetworks: [],
  assets: [],
  exceptAssets: [],
  schemes: [],
  exceptSchemes: [],
  payTos: [],
  maxPrices: [],
}

export const isEmpty = (constraints: Constraints): boolean =>
  Object.values(constraints).every((list) => list.length === 0)

/** Both together: what meets the result meets each of the two. */
export const bothOf = (one: Constraints, other: Constraints): Constraints => ({
  types: [...one.types, ...other.types],
  exceptTypes: [...one.exceptTypes, ...other.exceptTypes],
  extensions: [...one.extensions, ...other.extensions],
  leastTrust: [...one.leastTrust, ...other.leastTrust],
  everyNetwork: [...one.everyNetwork, ...other.everyNetwork],
  networks: [...one.networks, ...other.networks],
  exceptNetworks: [...one.exceptNetworks, ...other.exceptNetworks],
  assets: [...one.assets, ...other.assets],
  exceptAssets: [...one.exceptAssets, ...other.exceptAssets],
  schemes: [...one.schemes, ...other.schemes],
  exceptSchemes: [...one.exceptSchemes, ...other.exceptSchemes],
  payTos: [...one.payTos, ...other.payTos],
  maxPrices: [...one.maxPrices, ...other.maxPrices],
})

/** Constraints as the answer names them: `network=stellar:testnet`, `maxPrice=0.02 USD`, `asset!=USDC`. */
export const describeConstraints = (constraints: Constraints): string[] => [
  ...[...constraints.everyNetwork, ...constraints.networks].map((id) => `network=${id}`),
  ...constraints.exceptNetworks.map((id) => `network!=${id}`),
  ...constraints.types.map((type) => `type=${type}`),
  ...constraints.exceptTypes.map((type) => `type!=${type}`),
  ...constraints.assets.map((asset) => `asset=${asset}`),
  ...constraints.exceptAssets.map((asset) => `asset!=${asset}`),
  ...constraints.schemes.map((scheme) => `scheme=${scheme}`),
  ...constraints.exceptSchemes.map((scheme) => `scheme!=${scheme}`),
  ...constraints.payTos.map((address) => `payTo=${address}`),
  ...constraints.extensions.map((key) => `extension=${key}`),
  ...constraints.leastTrust.map((level) => `trust>=${level}`),
  ...constraints.maxPrices.map((price) => `maxPrice=${describePrice(price)}`),
]

function describePrice({ value, scale, unit }: Price): string {
  const digits = value.toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const part = digits.slice(digits.length - scale).replace(/0+$/, '')
  const name = typeof unit === 'string' ? unit : unit.asset
  return `${part === '' ? whole : `${whole}.${part}`} ${name}`
}
