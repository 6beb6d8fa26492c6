import { type LedgerContext, writeLedger } from './ledger-context.ts'
import { type MessageReader, MessageWriter } from './message.ts'

export interface ResourceFeeInput {
  readonly ledger: LedgerContext
  /** SorobanResources XDR, as the transaction declares them. */
  readonly resources: Uint8Array
  /** Indices into the read-write footprint (CAP-66). */
  readonly restored?: readonly number[]
  /** RestoreFootprint reads each of its read-write keys from disk. @default false */
  readonly isRestoration?: boolean
  /** Bytes of the envelope's XDR, signatures included. */
  readonly transactionSize: number
  /** Bytes of events and return value; 0 before they are known. */
  readonly eventsSize?: number
}

/** Stroops. `refundable` is the charge for events; rent is known only after applying. */
export interface ResourceFee {
  readonly nonRefundable: bigint
  readonly refundable: bigint
}

export const writeResourceFee = (input: ResourceFeeInput): Uint8Array =>
  writeLedger(new MessageWriter(), input.ledger)
    .bytes(input.resources)
    .numbers(input.restored ?? [])
    .bool(input.isRestoration ?? false)
    .u32(input.transactionSize)
    .u32(input.eventsSize ?? 0)
    .done()

export const readResourceFee = (input: MessageReader): ResourceFee => ({
  nonRefundable: input.i64(),
  refundable: input.i64(),
})
