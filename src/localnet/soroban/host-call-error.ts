/** In the order of the crate's numbers, from 1. */
const kinds = ['bad_input', 'bad_config', 'bad_ledger', 'internal'] as const

export type HostCallErrorKind = (typeof kinds)[number]

/**
 * The host refused the call, so that no function ran. `bad_input` is the caller's malformed
 * XDR; `bad_config` and `bad_ledger` a broken ledger; `internal` what stellar-core
 * answers with txINTERNAL_ERROR.
 */
export class HostCallError extends Error {
  override readonly name = 'HostCallError'
  readonly kind: HostCallErrorKind

  constructor(kind: HostCallErrorKind, message: string) {
    super(message)
    this.kind = kind
  }

  static from(number: number, message: string): HostCallError {
    return new HostCallError(kinds[number - 1] ?? 'internal', message)
  }
}
