/**
 * The host's account of a failed call. The final error is often only `Error(Auth, InvalidAction)`; its
 * cause is in the diagnostic events.
 */
import type { HostErrorCode, HostEvent, ScValue } from './sc-value.ts'

export interface HostFailure {
  /** The error the call ended with; undefined when the text names none. */
  readonly final: HostErrorCode | undefined
  /** Every error raised, in order: the cause comes before its consequences. */
  readonly errors: readonly HostErrorEvent[]
}

export interface HostErrorEvent {
  readonly error: HostErrorCode
  /** The contract that was running; absent outside of one. */
  readonly contract?: string
  /** May be empty. */
  readonly message: string
  /** Values that the host attached to the message. */
  readonly args: readonly ScValue[]
}

/** @param text of the RPC's `error`, for instance `HostError: Error(Contract, #10)` */
export const readHostFailure = (text: string, events: readonly HostEvent[]): HostFailure => ({
  final: readErrorText(text),
  errors: events.flatMap(readErrorEvent),
})

/**
 * The failure of a transaction on the ledger. Unlike a simulation it has no text with the final error: the
 * host logs that last. Without diagnostic events there are no errors.
 */
export function readAppliedFailure(events: readonly HostEvent[]): HostFailure {
  const errors = events.flatMap(readErrorEvent)
  return { final: errors.at(-1)?.error, errors }
}

/** The first error in the text, as the host prints it. */
function readErrorText(text: string): HostErrorCode | undefined {
  const match = /Error\((?<type>\w+), (?<code>#\d+|\w+)\)/.exec(text)
  return match?.groups && { type: match.groups['type']!, code: match.groups['code']! }
}

export const sameError = (a: HostErrorCode, b: HostErrorCode | undefined): boolean =>
  a.type === b?.type && a.code === b.code

export const showError = ({ type, code }: HostErrorCode): string => `Error(${type}, ${code})`

/** A diagnostic event with topics `["error", error]`; its data are a message, or a vector of message and arguments. */
function readErrorEvent({ kind, topics, data, contract }: HostEvent): HostErrorEvent[] {
  const [label, error] = topics
  // A contract may emit an event with the same topics, which would hide the true cause.
  if (kind !== 'diagnostic') return []
  if (label?.type !== 'symbol' || label.value !== 'error' || error?.type !== 'error') return []
  const [text, ...args] = data.type === 'vec' ? data.items : [data]
  const message = text?.type === 'string' ? text.value : ''
  return [{ error: error.error, message, args, ...(contract !== undefined && { contract }) }]
}
