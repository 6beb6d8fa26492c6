import { Buffer } from 'node:buffer'
import { xdr } from '@stellar/stellar-sdk'

const FAILED_LABEL = /^\[Failed (?<kind>\w+) Event \(not emitted\)\]/

/**
 * Stellar RPC's error text of a failed call. Its event log ends with the last error event, and does not
 * mark the events of calls that were rolled back after it. The host's text has the final log; this
 * function removes the later events and marks.
 *
 * @param text an error, a blank line, a heading, and one numbered line per event, newest first
 * @param diagnostics the same events as DiagnosticEvent XDR, oldest first
 */
export function hostErrorText(text: string, diagnostics: readonly Uint8Array[]): string {
  const [error = '', blank = '', heading = '', ...log] = text.trimEnd().split('\n')
  if (diagnostics.length === 0 || log.length !== diagnostics.length) return text
  const events = diagnostics.map(readEvent)
  const known = events.slice(0, events.findLastIndex(({ topic }) => topic === 'error') + 1)
  if (known.length === 0) return text
  const rolledBack = rolledBackEvents(known)
  const lines = log
    .toReversed()
    .slice(0, known.length)
    .map((line) => line.replace(/^ *\d+: /, ''))
    .map((line, index) =>
      rolledBack.has(index) ? line : line.replace(FAILED_LABEL, '[$<kind> Event]'),
    )
    .toReversed()
    .map((line, index) => `   ${index}: ${line}`)
  return [error, blank, heading, ...lines, ''].join('\n')
}

interface LoggedEvent {
  /** The first topic when it is a symbol. */
  readonly topic: string
  /** Hex of the contract in whose call it was logged; empty outside of contracts. */
  readonly contract: string
  /** Hex of the called contract, in an `fn_call`. */
  readonly callee: string
}

function readEvent(bytes: Uint8Array): LoggedEvent {
  const { event } = xdr.DiagnosticEvent.fromXdr(bytes)
  const [first, second] = event.body.v0.topics
  return {
    topic: first?.type === 'scvSymbol' ? first.value : '',
    contract: event.contractId ? hex(event.contractId.value) : '',
    callee: second?.type === 'scvBytes' ? hex(second.bytes.value) : '',
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Indices of the events within calls that had failed before the last event was logged. */
function rolledBackEvents(events: readonly LoggedEvent[]): Set<number> {
  const calls: { contract: string; from: number }[] = [{ contract: '', from: 0 }]
  const failed = new Set<number>()
  for (const [index, { topic, contract, callee }] of events.entries()) {
    const caller = calls.findLastIndex((call) => call.contract === contract)
    // An event of a caller without `fn_return`: all calls above it have failed.
    for (const call of caller < 0 ? [] : calls.splice(caller + 1)) {
      for (let at = call.from; at < index; at++) failed.add(at)
    }
    if (topic === 'fn_call') calls.push({ contract: callee, from: index + 1 })
    if (topic === 'fn_return' && calls.length > 1) calls.pop()
  }
  return failed
}
