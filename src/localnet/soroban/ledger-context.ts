import type { MessageWriter } from './message.ts'

/** The ledger being closed or, for a simulation, the latest one. */
export interface LedgerContext {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime: number
  /** SHA-256 of the network's passphrase. */
  readonly networkId: Uint8Array
  /** Stroops. */
  readonly baseReserve: number
}

export const writeLedger = (out: MessageWriter, ledger: LedgerContext): MessageWriter =>
  out
    .u32(ledger.sequence)
    .u64(BigInt(ledger.closeTime))
    .raw(ledger.networkId)
    .u32(ledger.baseReserve)
