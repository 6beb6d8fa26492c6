/** The calls of the tests, implemented with the classes of each SDK version. */
export interface Sdk {
  readonly name: string
  open(url: string, passphrase: string): SdkSession
}

export interface SdkSession {
  health(): Promise<{ status: string; latestLedger: number; oldestLedger: number }>
  network(): Promise<{ passphrase: string; friendbotUrl?: string }>
  feeStats(): Promise<{ sorobanInclusionFee: { p90: string; transactionCount: string } }>
  versionInfo(): Promise<{ protocolVersion: number }>
  /** The status of an unknown transaction. */
  missing(hash: string): Promise<{ status: string; latestLedger: number }>
  latestLedger(): Promise<{ sequence: number }>
  /** Sequences. */
  ledgers(startLedger: number): Promise<number[]>
  /** Hashes, read in two pages, the first of `limit`. */
  transactions(startLedger: number, limit: number): Promise<string[]>
  account(address: string): Promise<{ balance: bigint }>
  trustline(address: string, code: string, issuer: string): Promise<{ balance: bigint }>
  /** Simulates, signs, prepares, sends twice, lets the ledger close, and polls. */
  transfer(asked: TransferAsked, close: () => Promise<unknown>): Promise<Transferred>
  /** Event ids, page by page until an empty one. */
  events(asked: EventsAsked): Promise<string[][]>
  /** A symbol in the form of a topic filter. */
  topic(text: string): string
}

export interface TransferAsked {
  readonly contract: string
  /** Secret of the transaction's source. */
  readonly source: string
  /** Secret of the payer, which signs only an authorization entry. */
  readonly payer: string
  readonly payTo: string
  readonly amount: bigint
  /** Whether to request ADDRESS_V2 credentials in simulation; version 14 cannot. */
  readonly upgradedAuth: boolean
}

interface Transferred {
  readonly hash: string
  readonly sent: string
  readonly repeated: string
  readonly credentials: readonly string[]
  readonly returned: unknown
  readonly contractEvents: number
  readonly feeEvents: number
  readonly order: number
}

export interface EventsAsked {
  readonly startLedger: number
  readonly contract: string
  readonly topics: string[][]
  readonly limit: number
}
