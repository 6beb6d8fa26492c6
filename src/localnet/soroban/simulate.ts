import { type HostFailure, readFailure } from './host-failure.ts'
import { type LedgerContext, writeLedger } from './ledger-context.ts'
import { type MessageReader, MessageWriter } from './message.ts'

/** Stellar RPC's `authMode`, and the crate's number for it. */
const authModes = { record: 0, record_allow_nonroot: 1, enforce: 2 } as const
export type AuthMode = keyof typeof authModes

export interface SimulateInput {
  readonly ledger: LedgerContext
  /** HostFunction XDR. */
  readonly hostFunction: Uint8Array
  /** AccountId XDR of the operation's source. */
  readonly source: Uint8Array
  readonly mode: AuthMode
  /** Record ADDRESS_V2 credentials instead of ADDRESS. */
  readonly upgradedAuth?: boolean
  /** SorobanAuthorizationEntry XDR each; only `enforce` reads them. */
  readonly auth?: readonly Uint8Array[]
  /** 32 bytes: all of the host's randomness, recorded nonces included. */
  readonly seed: Uint8Array
  /** Default true. */
  readonly diagnostics?: boolean
}

/** A written entry before and after, LedgerEntry XDR; undefined when it does not exist. */
export interface StateChange {
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

type SimulateResult =
  | { readonly ok: true /** ScVal XDR. */; readonly value: Uint8Array }
  | { readonly ok: false; readonly failure: HostFailure }

export interface SimulateOutput {
  readonly result: SimulateResult
  /** SorobanAuthorizationEntry XDR each: recorded and unsigned, or the enforced ones. */
  readonly auth: readonly Uint8Array[]
  /** ContractEvent XDR each. */
  readonly events: readonly Uint8Array[]
  /** DiagnosticEvent XDR each; also after a failure. */
  readonly diagnostics: readonly Uint8Array[]
  /** SorobanTransactionData XDR with footprint, resources and fee; absent after a failure. */
  readonly transactionData: Uint8Array | undefined
  /** Indices into the read-write footprint of entries the transaction restores (CAP-66). */
  readonly restored: readonly number[]
  /** Measured instructions; `transactionData` declares slightly more. */
  readonly instructions: number
  readonly memoryBytes: number
  readonly changes: readonly StateChange[]
}

export const writeSimulate = (input: SimulateInput): Uint8Array =>
  writeLedger(new MessageWriter(), input.ledger)
    .bytes(input.hostFunction)
    .bytes(input.source)
    .u8(authModes[input.mode])
    .bool(input.upgradedAuth ?? false)
    .list(input.auth ?? [])
    .raw(input.seed)
    .bool(input.diagnostics ?? true)
    .done()

export const readSimulate = (input: MessageReader): SimulateOutput => ({
  result: input.bool()
    ? { ok: true, value: input.bytes() }
    : { ok: false, failure: readFailure(input) },
  auth: input.list(),
  events: input.list(),
  diagnostics: input.list(),
  transactionData: input.option(),
  restored: input.numbers(),
  instructions: input.u32(),
  memoryBytes: input.u32(),
  changes: input.many(() => ({ before: input.option(), after: input.option() })),
})
