/**
 * A contract value (XDR `SCVal`) as plain data, so that checks of calls and events need no XDR. Types
 * that no check reads become `other`, with their XDR name.
 */
export type ScValue =
  | { readonly type: 'void' }
  | { readonly type: 'bool'; readonly value: boolean }
  /** Unsigned and signed integers of every width. */
  | { readonly type: IntegerType; readonly value: bigint }
  | { readonly type: 'symbol' | 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  /** A strkey of any kind: `G...`, `C...`, `M...` and others. */
  | { readonly type: 'address'; readonly value: string }
  | { readonly type: 'vec'; readonly items: readonly ScValue[] }
  | { readonly type: 'map'; readonly entries: readonly (readonly [ScValue, ScValue])[] }
  | { readonly type: 'error'; readonly error: HostErrorCode }
  | { readonly type: 'other'; readonly xdrType: string }

export type IntegerType = 'u32' | 'i32' | 'u64' | 'i64' | 'u128' | 'i128'

/** An `SCError` as the host prints it: `Error(Auth, ExistingValue)` or `Error(Contract, #10)`. */
export interface HostErrorCode {
  /** `Contract`, `WasmVm`, `Context`, `Storage`, `Object`, `Crypto`, `Events`, `Budget`, `Value`, `Auth`. */
  readonly type: string
  /** The name of a host code, or `#n` for a contract's own. */
  readonly code: string
}

/** An event of a simulated or applied call (XDR `DiagnosticEvent`). */
export interface HostEvent {
  readonly kind: 'contract' | 'system' | 'diagnostic'
  /** False for events of a call that was rolled back. */
  readonly inSuccessfulCall: boolean
  /** Strkey of the emitting contract; absent for events of the host itself. */
  readonly contract?: string
  readonly topics: readonly ScValue[]
  readonly data: ScValue
}

/** Whether the ledger would have the event: diagnostic ones, and those of calls that were rolled back, it has not. */
export const isOnLedger = ({ kind, inSuccessfulCall }: HostEvent): boolean =>
  kind !== 'diagnostic' && inSuccessfulCall
