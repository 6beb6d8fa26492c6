import type { Clock } from '../core/clock.ts'
import type { AppliedTransaction, ClosedLedger, LedgerFees } from './history.ts'
import type { SorobanHost, StoredEntry } from './soroban/host.ts'

export interface LocalnetOptions {
  /** @default the passphrase of testnet */
  readonly passphrase?: string
  /** Stamps ledgers. @default the system clock */
  readonly clock?: Clock
  /** How many ledgers of history are kept. @default 17,280, a day of ledgers five seconds apart */
  readonly retainLedgers?: number
  /** Seconds expected between ledgers; a transaction must outlive two of them to be accepted. @default 5 */
  readonly expectedCloseSeconds?: number
  /** Receives lines from inside the Soroban host. */
  readonly log?: (line: string) => void
}

export type SubmitStatus = 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR'

export interface SubmitResult {
  readonly status: SubmitStatus
  /** Hex. */
  readonly hash: string
  /** TransactionResult XDR; with `ERROR`. */
  readonly resultXdr?: Uint8Array
  /** DiagnosticEvent XDR; with `ERROR`, when there is something to say. */
  readonly diagnosticEvents?: readonly Uint8Array[]
}

export interface FaucetRequest {
  /** A G or C address. */
  readonly address: string
  readonly asset: 'XLM' | 'USDC'
  /** In the asset's smallest unit, 10^-7. */
  readonly amount: bigint
}

/** A Stellar network of one node, in this process. */
export declare class Localnet {
  constructor(options?: LocalnetOptions)
  readonly passphrase: string
  readonly networkId: Uint8Array
  readonly host: SorobanHost
  readonly clock: Clock
  readonly latest: ClosedLedger
  readonly oldest: ClosedLedger
  ledger(sequence: number): ClosedLedger | undefined
  transaction(hash: string): AppliedTransaction | undefined
  /** The live ledger entry under a LedgerKey XDR. */
  entry(keyXdr: Uint8Array): StoredEntry | undefined
  /** Throws an error when the bytes are no TransactionEnvelope. */
  submit(envelopeXdr: Uint8Array): SubmitResult
  /** Applies every queued transaction; the ledger advances with an empty queue too. */
  closeLedger(): Promise<ClosedLedger>
  /** Resolves when the next ledger has paid; creates the account (10,000 XLM) and trustline where missing. */
  faucet(request: FaucetRequest): Promise<AppliedTransaction>
  /** Inclusion fees of the retained ledgers, newest first, at most `ledgers` of them. */
  recentFees(ledgers: number): readonly LedgerFees[]
  /** Calls after each close; returns the way to stop. */
  onClose(listener: (ledger: ClosedLedger) => void): () => void
}
