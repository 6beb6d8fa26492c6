/**
 * What every log line says of the work it belongs to, without anybody passing it down: the request,
 * and the settlement once it is known. It follows the work through everything it awaits or starts.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface LogFields {
  readonly requestId?: string
  /** `<network>/<payer>/<nonce>` of the authorization that is settled. */
  readonly settlement?: string
}

const current = new AsyncLocalStorage<{ fields: LogFields }>()
const outside = AsyncLocalStorage.snapshot()

/** Runs the work with these fields on every line, and those that are there already. */
export const inLogScope = <T>(fields: LogFields, work: () => T): T =>
  current.run({ fields: { ...current.getStore()?.fields, ...fields } }, work)

/** Adds fields to the scope that is running, for all that is still to come in it. */
export function noteInLogScope(fields: LogFields): void {
  const scope = current.getStore()
  if (scope) scope.fields = { ...scope.fields, ...fields }
}

/**
 * Runs work that one request starts on behalf of many: its lines name no request, and its spans are in
 * no trace.
 */
export const onBehalfOfAll = <T>(work: () => T): T => outside(work)

export const logFields = (): LogFields => current.getStore()?.fields ?? {}
