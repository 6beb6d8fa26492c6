/**
 * Fields of every log line of a piece of work, without passing them as parameters: the request, and
 * the settlement once it is known. They follow the work through everything it awaits or starts.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface LogFields {
  readonly requestId?: string
  /** `<network>/<payer>/<nonce>` of the authorization that is settled. */
  readonly settlement?: string
}

const current = new AsyncLocalStorage<{ fields: LogFields }>()
const outside = AsyncLocalStorage.snapshot()

/** Runs the work with these fields on every line, besides those of the current scope. */
export const inLogScope = <T>(fields: LogFields, work: () => T): T =>
  current.run({ fields: { ...current.getStore()?.fields, ...fields } }, work)

/** Adds fields to the current scope, for all its later lines. */
export function addToLogScope(fields: LogFields): void {
  const scope = current.getStore()
  if (scope) scope.fields = { ...scope.fields, ...fields }
}

/**
 * Runs work that one request starts but that serves many: its lines name no request, and its spans
 * belong to no trace.
 */
export const outsideLogScope = <T>(work: () => T): T => outside(work)

export const logFields = (): LogFields => current.getStore()?.fields ?? {}
