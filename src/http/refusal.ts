import type { Fault } from '../core/faults.ts'

/** What a caller is told of a fault. */
export type ToldFault = Pick<Fault, 'code' | 'message' | 'retryable' | 'details'>

/**
 * How a route words a refusal. `body` is the parsed request body, undefined when the
 * refusal came before it was read. Routes choose one with `config: { refusal }`.
 */
export type RefusalShape = (fault: ToldFault, body: unknown) => object

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The words of every refusal on this path, its 405 included. Default: `errorBody`. */
    refusal?: RefusalShape
    /** Probes keep answering while the server drains; everything else gets 503. */
    answersWhileDraining?: boolean
    /** Probes and scrapers are never rate-limited. */
    isUnlimited?: boolean
  }
}

export interface ErrorMember {
  readonly code: string
  readonly reason: string
  readonly retryable: boolean
  readonly details?: Readonly<Record<string, unknown>>
}

/** The `error` member that every refusal carries. */
export function errorMember(fault: ToldFault): ErrorMember {
  const { code, message: reason, retryable, details } = fault
  return details === undefined ? { code, reason, retryable } : { code, reason, retryable, details }
}

export const errorBody: RefusalShape = (fault) => ({ error: errorMember(fault) })
