import {
  type HostFailure,
  type ResourceLimitExceeded,
  readExceeded,
  readFailure,
} from './host-failure.ts'
import { type LedgerContext, writeLedger } from './ledger-context.ts'
import { type MessageReader, MessageWriter } from './message.ts'

export interface InvokeInput {
  readonly ledger: LedgerContext
  /** HostFunction XDR. */
  readonly hostFunction: Uint8Array
  /** SorobanResources XDR, as the transaction declares them. */
  readonly resources: Uint8Array
  /** Indices into the read-write footprint, from the transaction data's extension (CAP-66). */
  readonly restored?: readonly number[]
  /** AccountId XDR of the operation's source. */
  readonly source: Uint8Array
  /** SorobanAuthorizationEntry XDR each. */
  readonly auth: readonly Uint8Array[]
  /** 32 bytes: all of the host's randomness. */
  readonly seed: Uint8Array
  /** Default true. */
  readonly diagnostics?: boolean
  /** Bytes of the envelope's XDR, signatures included; part of the non-refundable fee. */
  readonly transactionSize: number
}

/** One per footprint key, whether changed or not. */
export interface FootprintChange {
  /** LedgerKey XDR. */
  readonly key: Uint8Array
  readonly readOnly: boolean
  /** LedgerEntry XDR; absent if read-only or removed. `lastModifiedLedgerSeq` is the caller's. */
  readonly value: Uint8Array | undefined
  /** 0 for entries without a TTL, for new ones and for restored ones. */
  readonly oldLiveUntil: number
  /** 0 for entries without a TTL and for removed ones. */
  readonly newLiveUntil: number
}

interface Measured {
  /** Metered instructions, possibly more than declared. */
  readonly instructions: bigint
  readonly memoryBytes: bigint
  /** Stroops; charged for every outcome. */
  readonly nonRefundableFee: bigint
  /** Counters that stellar-core keeps around the host, in the order of the crate's `metrics`. */
  readonly counts: readonly number[]
  /** DiagnosticEvent XDR each; also after a failure. */
  readonly diagnostics: readonly Uint8Array[]
}

/**
 * The operation's result, in stellar-core's order of checks. The caller checks
 * INSUFFICIENT_REFUNDABLE_FEE: a success that costs more than the declared refundable fee.
 */
export type InvokeOutput = Measured &
  (
    | {
        readonly outcome: 'success'
        /** ScVal XDR. */
        readonly value: Uint8Array
        /** Stroops for events and return value. */
        readonly eventsFee: bigint
        /** Stroops. */
        readonly rentFee: bigint
        /** ContractEvent XDR each. */
        readonly events: readonly Uint8Array[]
        readonly changes: readonly FootprintChange[]
      }
    | { readonly outcome: 'trapped'; readonly failure: HostFailure }
    | {
        readonly outcome: 'resource_limit_exceeded'
        readonly exceeded: ResourceLimitExceeded
        /** The host's error, if the host exceeded the limit. */
        readonly failure: HostFailure | undefined
      }
    | {
        readonly outcome: 'entry_archived'
        /** LedgerKey XDR of the first expired entry that the transaction does not restore. */
        readonly key: Uint8Array
      }
  )

export const writeInvoke = (input: InvokeInput): Uint8Array =>
  writeLedger(new MessageWriter(), input.ledger)
    .bytes(input.hostFunction)
    .bytes(input.resources)
    .numbers(input.restored ?? [])
    .bytes(input.source)
    .list(input.auth)
    .raw(input.seed)
    .bool(input.diagnostics ?? true)
    .u32(input.transactionSize)
    .done()

/** Numbers that the crate's `metrics` writes. */
const COUNTS = 16

const readChange = (input: MessageReader): FootprintChange => ({
  key: input.bytes(),
  readOnly: input.bool(),
  value: input.option(),
  oldLiveUntil: input.u32(),
  newLiveUntil: input.u32(),
})

export const readInvoke = (input: MessageReader): InvokeOutput => {
  const measured: Measured = {
    instructions: input.u64(),
    memoryBytes: input.u64(),
    nonRefundableFee: input.i64(),
    counts: Array.from({ length: COUNTS }, () => input.u32()),
    diagnostics: input.list(),
  }
  const code = input.u8()
  switch (code) {
    case 0:
      return {
        ...measured,
        outcome: 'success',
        value: input.bytes(),
        eventsFee: input.i64(),
        rentFee: input.i64(),
        events: input.list(),
        changes: input.many(() => readChange(input)),
      }
    case 1:
      return { ...measured, outcome: 'trapped', failure: readFailure(input) }
    case 2:
      return {
        ...measured,
        outcome: 'resource_limit_exceeded',
        exceeded: readExceeded(input),
        failure: input.bool() ? readFailure(input) : undefined,
      }
    case 3:
      return { ...measured, outcome: 'entry_archived', key: input.bytes() }
    default:
      throw new Error(`the host reported an unknown outcome: ${code}`)
  }
}
