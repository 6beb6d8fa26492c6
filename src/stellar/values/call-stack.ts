/**
 * Finds the calls that were in progress when a contract emitted an event, from the host's diagnostic events: it
 * emits `fn_call` before each call and `fn_return` after it. An endpoint can be set up to leave them out.
 */
import { StrKey } from '@stellar/stellar-sdk'
import type { HostEvent } from './sc-value.ts'

export interface Call {
  /** Strkey of the called contract. */
  readonly contract: string
  readonly functionName: string
}

/**
 * For each event that a contract emitted the calls in progress, outermost first; the last one is a call of
 * that contract. An event is absent when no call in progress explains it.
 *
 * A call that failed, and whose caller continued, has no `fn_return`: it ends with the next event of a call
 * around it. The host lets no contract be called again while a call of it is in progress, except by itself.
 *
 * @param events all of a simulation, in its order
 */
export function callsInProgress(
  events: readonly HostEvent[],
): ReadonlyMap<HostEvent, readonly Call[]> {
  const calls: Call[] = []
  const endCallsInside = (contract: string | undefined) => {
    while (calls.length > 0 && calls.at(-1)?.contract !== contract) calls.pop()
  }
  const found = new Map<HostEvent, readonly Call[]>()
  for (const event of events) {
    const called = calledBy(event)
    if (called) {
      endCallsInside(event.contract)
      calls.push(called)
    } else if (isDiagnostic(event, 'fn_return')) {
      endCallsInside(event.contract)
      calls.pop()
    } else if (event.kind === 'contract') {
      const length = calls.findLastIndex(({ contract }) => contract === event.contract) + 1
      if (length > 0) found.set(event, calls.slice(0, length))
    }
  }
  return found
}

const isDiagnostic = ({ kind, topics: [name] }: HostEvent, expected: string): boolean =>
  kind === 'diagnostic' && name?.type === 'symbol' && name.value === expected

/** The topics of a `fn_call` are its name, the called contract's 32 bytes and the function. */
function calledBy(event: HostEvent): Call | undefined {
  const [, contract, name] = event.topics
  if (!isDiagnostic(event, 'fn_call')) return undefined
  if (contract?.type !== 'bytes' || name?.type !== 'symbol') return undefined
  return { contract: StrKey.encodeContract(contract.value), functionName: name.value }
}
