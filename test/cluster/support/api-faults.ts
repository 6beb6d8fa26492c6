/** The faults that the API proxy can inject, and the filter that selects requests for them. */
import type { ApiCall } from './api-call.ts'

export type RequestFault =
  /** Never answers. */
  | { readonly kind: 'hang' }
  /** Forwards the request after this time. */
  | { readonly kind: 'slow'; readonly seconds: number }
  /** Does not forward the request; answers as the API server does with this status. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Forwards the request and closes the connection instead of answering. */
  | { readonly kind: 'lose answer' }
  /** Leaves to the test when the request is forwarded, and when its answer is; closes the connection where that rejects. */
  | {
      readonly kind: 'gate'
      readonly pass: <T>(call: ApiCall, body: string, forward: () => Promise<T>) => Promise<T>
    }

/** For watches, including open ones. */
export type WatchFault =
  /** Sends 410 as the last event of the stream. */
  | { readonly kind: 'gone' }
  /** Sends a line that is not JSON, and continues. */
  | { readonly kind: 'garbage line' }
  /** Sends nothing more and does not close, even when the fault is healed. */
  | { readonly kind: 'half-open' }
  /** Ends the stream, as a server does after its time limit. */
  | { readonly kind: 'end' }
  /** Until healed, sends every event twice. */
  | { readonly kind: 'duplicate' }
  /** Until healed, swaps each two events. */
  | { readonly kind: 'reorder' }
  /** Until healed, sends only bookmarks. */
  | { readonly kind: 'bookmarks only' }

export type ApiFault = RequestFault | WatchFault

/** Selects the requests that a fault hits: all when empty. */
export interface RequestFilter {
  /** Of RBAC. */
  readonly verbs?: readonly string[]
  readonly resources?: readonly string[]
  /** Empty for the object itself. */
  readonly subresource?: string
  readonly names?: readonly string[]
  /** Part of the user agent. */
  readonly userAgent?: string
  /** Share of the selected requests, from 0 to 1, evenly spread and the same in every run. */
  readonly share?: number
  /** Hits this many requests at most. */
  readonly times?: number
}

const watchFaults: ReadonlySet<string> = new Set<WatchFault['kind']>([
  'gone',
  'garbage line',
  'half-open',
  'end',
  'duplicate',
  'reorder',
  'bookmarks only',
])

export const isWatchFault = (fault: ApiFault): fault is WatchFault => watchFaults.has(fault.kind)

/** A fault that stays active until it is healed. */
export class PlannedFault<Fault extends ApiFault = ApiFault> {
  readonly fault: Fault
  readonly #filter: RequestFilter
  #left: number
  #due = 0
  #isHealed = false

  constructor(fault: Fault, filter: RequestFilter) {
    this.fault = fault
    this.#filter = filter
    this.#left = filter.times ?? Number.POSITIVE_INFINITY
  }

  /** Read by faults with a lasting effect, such as duplicated watch events. */
  get isHealed(): boolean {
    return this.#isHealed
  }

  heal(): void {
    this.#isHealed = true
  }

  /** Decides whether this call is hit, and counts it. */
  hits(call: ApiCall): boolean {
    const { verbs, resources, subresource, names, userAgent = '', share = 1 } = this.#filter
    if (this.#isHealed || this.#left === 0) return false
    if (verbs && !verbs.includes(call.verb)) return false
    if (resources && !resources.includes(call.resource)) return false
    if (subresource !== undefined && subresource !== call.subresource) return false
    if (names && !names.includes(call.name)) return false
    if (!call.userAgent.includes(userAgent)) return false
    this.#due += share
    if (this.#due < 1) return false
    this.#due -= 1
    this.#left -= 1
    return true
  }
}

const reasons: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** The body that the API server sends with this status. */
export const statusBody = (code: number) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason: reasons[code] ?? 'Unknown',
  message: `the proxy answers ${code}`,
  code,
})
