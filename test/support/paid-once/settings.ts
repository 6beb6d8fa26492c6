/** What the programs of the proof are told, and what they report. */

export const network = 'stellar:testnet'
export const DOLLARS = '$0.01'
/** Base units of USDC. */
export const PRICE = 100_000n

export interface SellerSettings {
  readonly facilitatorUrl: string
  readonly payTo: string
  readonly databaseUrl: string
}

export type Kind = 'http' | 'mcp'

export interface BuyerSettings {
  readonly kind: Kind
  /** Keeps what a buyer must not forget. */
  readonly folder: string
  /** Of the accounts that pay in turn. */
  readonly secrets: readonly string[]
  readonly sellerUrl: string
  readonly rpcUrl: string
  /** How many purchases are to be made, at most. */
  readonly purchases: number
  /** None is begun after that. Milliseconds of the epoch. */
  readonly beginsUntil: number
  /** How many of them at the same time. */
  readonly atOnce: number
}

/** A purchase whose goods the buyer has. */
export interface Purchase {
  readonly n: number
  /** As the header `PAYMENT-SIGNATURE` has it. */
  readonly payment: string
  /** As the header `PAYMENT-RESPONSE` has it. */
  readonly receipt: string
  readonly goods: string
}

/** A purchase that has to have its goods in the end. */
interface Begun {
  readonly n: number
  readonly isBegun: true
}

/** A purchase that the buyer has given up. */
interface Lost {
  readonly n: number
  readonly says: string
}

export type Entry = Begun | Purchase | Lost

export type FromBuyer = 'has one more' | 'has all'

export const urlOf = (kind: Kind, sellerUrl: string, n: number): string =>
  kind === 'http' ? `${sellerUrl}/goods/${n}` : `mcp+${sellerUrl}/mcp#goods`

/** The arguments of the tool. */
export const argumentsOf = (n: number): string => JSON.stringify({ n })
