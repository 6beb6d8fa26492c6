import { type ResourceLimitExceeded, readExceeded } from './host-failure.ts'
import { type LedgerContext, writeLedger } from './ledger-context.ts'
import { type MessageReader, MessageWriter } from './message.ts'

/** ExtendFootprintTTL (`extendTo` ledgers from now) or RestoreFootprint. */
export type TtlOperation =
  | { readonly kind: 'extend'; readonly extendTo: number }
  | { readonly kind: 'restore' }

export interface SimulateTtlInput {
  readonly ledger: LedgerContext
  readonly operation: TtlOperation
  /** LedgerKey XDR each. */
  readonly keys: readonly Uint8Array[]
}

export interface ApplyTtlInput {
  readonly ledger: LedgerContext
  readonly operation: TtlOperation
  /** SorobanResources XDR; an extension reads its read-only keys, a restoration its read-write ones. */
  readonly resources: Uint8Array
  /** Bytes of the envelope's XDR, signatures included. */
  readonly transactionSize: number
}

interface TtlChange {
  /** LedgerKey XDR of the entry, not of its TTL entry. */
  readonly key: Uint8Array
  /** 0 when the entry was expired. */
  readonly oldLiveUntil: number
  readonly newLiveUntil: number
}

/** The caller checks INSUFFICIENT_REFUNDABLE_FEE, as with an invocation. */
export type ApplyTtlOutput = { /** Stroops. */ readonly nonRefundableFee: bigint } & (
  | {
      readonly outcome: 'success'
      /** Stroops. */
      readonly rentFee: bigint
      /** Only entries whose TTL changes. */
      readonly changes: readonly TtlChange[]
    }
  | { readonly outcome: 'resource_limit_exceeded'; readonly exceeded: ResourceLimitExceeded }
)

const writeOperation = (out: MessageWriter, operation: TtlOperation): MessageWriter =>
  operation.kind === 'extend' ? out.u8(0).u32(operation.extendTo) : out.u8(1).u32(0)

export const writeSimulateTtl = (input: SimulateTtlInput): Uint8Array =>
  writeOperation(writeLedger(new MessageWriter(), input.ledger), input.operation)
    .list(input.keys)
    .done()

export const writeApplyTtl = (input: ApplyTtlInput): Uint8Array =>
  writeOperation(writeLedger(new MessageWriter(), input.ledger), input.operation)
    .bytes(input.resources)
    .u32(input.transactionSize)
    .done()

export const readApplyTtl = (input: MessageReader): ApplyTtlOutput => {
  const nonRefundableFee = input.i64()
  if (input.u8() !== 0) {
    return { nonRefundableFee, outcome: 'resource_limit_exceeded', exceeded: readExceeded(input) }
  }
  return {
    nonRefundableFee,
    outcome: 'success',
    rentFee: input.i64(),
    changes: input.many(() => ({
      key: input.bytes(),
      oldLiveUntil: input.u32(),
      newLiveUntil: input.u32(),
    })),
  }
}
