import type { Clock } from '../../../platform/core/time/clock.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../../platform/core/time/time-limit.ts'
import { ApiError } from '../../client/api-error.ts'
import type { ValidationRequest } from '../../client/catalog-types.ts'
import { explorerClient } from '../../client/explorer-client.ts'
import { facilitatorClient } from '../../client/facilitator-client.ts'
import type { RequestOptions } from '../../client/options.ts'
import { failureOfStatus, ToolFailure } from '../answers/tool-failure.ts'
import type { Facts } from './facts.ts'

export interface HttpFactsOptions {
  /** Base URL of the facilitator or catalog, whose `/discovery` is asked. */
  readonly facilitator: string
  /** Base URL of the explorer; absent: nothing is known of payments. */
  readonly explorer?: string | undefined
  readonly clock: Pick<Clock, 'sleep'>
}

/** Time limit of one request, to its last byte; a validation asks a resource meanwhile. */
const TIME_LIMIT_MS = 20_000
/** A page of 20 resources whose declarations are as long as they may be. */
const MAX_BYTES = 4_194_304

/** The facts as services answer them over HTTP. Follows no redirect. */
export function httpFacts({ facilitator, explorer, clock }: HttpFactsOptions): Facts {
  const catalog = facilitatorClient({ url: facilitator, maxBytes: MAX_BYTES })
  const ask = <T>(signal: AbortSignal, read: (within: RequestOptions) => Promise<T>) =>
    withTimeLimit({ clock, ms: TIME_LIMIT_MS, signal }, (within) => read({ signal: within })).catch(
      (error: unknown) => {
        signal.throwIfAborted()
        throw toToolFailure(error)
      },
    )
  const payments = () => {
    if (explorer !== undefined) return explorerClient({ url: explorer, maxBytes: MAX_BYTES })
    const reason = 'no explorer is configured: svc mcp was started without --explorer'
    throw new ToolFailure('not_configured', reason)
  }
  return {
    search: (query, signal) =>
      ask(signal, (within) => catalog.search({ query: '', ...query }, within)),
    listing: (id, signal) => ask(signal, (within) => catalog.listing(id, within)),
    validate: (question, signal) =>
      ask(signal, (within) => catalog.validate(question as ValidationRequest, within)),
    payment: async (hash, signal) => {
      try {
        return await ask(signal, (within) => payments().payment(hash, within))
      } catch (error) {
        if (error instanceof ToolFailure && error.code === 'not_found') return undefined
        throw error
      }
    },
    seller: (payTo, network, signal) =>
      ask(signal, (within) => payments().seller(payTo, { network }, within)),
  }
}

function toToolFailure(error: unknown): unknown {
  if (error instanceof TimeLimitExceeded) {
    return new ToolFailure('timed_out', `the service did not answer in ${TIME_LIMIT_MS / 1_000} s`)
  }
  if (!(error instanceof ApiError)) return error
  const { code, status, message } = error
  if (code === 'unreachable') return new ToolFailure(code, message, { cause: error })
  if (code === 'answer_too_large') return new ToolFailure('unexpected_answer', message)
  // Whoever runs the service chose the message.
  const said = { message }
  return failureOfStatus(status ?? 0, `the service answered ${status ?? 'without a status'}`, {
    cause: error,
    said,
  })
}
