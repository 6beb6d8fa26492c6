/** Why a call could not be attempted; the order is the crate's numbering, from 1. */
const kinds = ['bad_input', 'bad_config', 'bad_ledger', 'internal'] as const

export type HostCallErrorKind = (typeof kinds)[number]

/**
 * The call itself was refused, so that no function ran. `bad_input` is the caller's malformed
 * XDR; `bad_config` and `bad_ledger` a broken ledger; `internal` what stellar-core would answer
 * with txINTERNAL_ERROR.
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
