/** A token that is accepted in payment. */
export interface AssetOptions {
  /** The token's contract, `C...`. */
  readonly contract: string
  readonly symbol: string
  readonly decimals: number
  /** Limits of one payment, in base units. @default none */
  readonly minAmount?: bigint | undefined
  readonly maxAmount?: bigint | undefined
}

/** How one network is served. */
export interface NetworkOptions {
  /** Stellar RPC endpoints in order of preference. Plain http only to this machine. */
  readonly rpcUrls: readonly string[]
  /** Seed (`S...`) of the account that pays the fees. The keys of the channels are derived from it. Absent: `settings` has `SPONSOR_SIGNER`. */
  readonly sponsorSecret?: string | undefined
  /** Channel accounts; each sends one settlement at a time. @default 8 */
  readonly channels?: number | undefined
  /** Whether missing channel accounts are created at the start. On pubnet that spends real money. @default on testnet alone */
  readonly createChannels?: boolean | undefined
  /** @default the network's USDC */
  readonly assets?: readonly AssetOptions[] | undefined
  /** The settlement contract (`C...`) of the scheme `upto`. @default the scheme is not served */
  readonly uptoContract?: string | undefined
  /** Limit on the fees that all processes on the store spend in an hour, a decimal of XLM. @default no limit */
  readonly hourlyBudgetXlm?: string | undefined
  /** Further settings of the network, by their names in docs/configuration.md without the network's prefix. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/** Postgres, for programs that must not forget payments; or the same SQL in this process, for tests and trials on testnet. */
export type StoreOptions =
  | { readonly kind: 'memory' }
  | {
      readonly kind: 'postgres'
      /** `postgres://...`. The schema is brought up to date at the start. */
      readonly url: string
      /** Connections. @default that of docs/configuration.md */
      readonly poolSize?: number | undefined
    }

export interface LogOptions {
  /** The lowest level that is logged. @default 'info' */
  readonly level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | undefined
  /** Gets one line of JSON, with its line feed. */
  readonly write: (line: string) => void
}

export interface FacilitatorOptions {
  /** At least one. */
  readonly networks: Readonly<Partial<Record<'stellar:testnet' | 'stellar:pubnet', NetworkOptions>>>
  readonly store: StoreOptions
  /** @default nothing is logged */
  readonly log?: LogOptions | undefined
  /** Ends the start: then `createFacilitator` throws its reason. */
  readonly signal?: AbortSignal | undefined
}
