/** What the proxy in front of the API server can do to requests, and to which. */
import type { ApiCall } from './api-call.ts'

export type RequestFault =
  /** Never answers. */
  | { readonly kind: 'hang' }
  /** Passes the request on after so long. */
  | { readonly kind: 'slow'; readonly seconds: number }
  /** Passes nothing on; answers as the API server does with this status. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Passes the request on and closes the connection instead of answering. */
  | { readonly kind: 'lose answer' }

/** For watches, those already open too. */
export type WatchFault =
  /** Says 410 as the stream's last event. */
  | { readonly kind: 'gone' }
  /** Says something that is no JSON, and goes on. */
  | { readonly kind: 'garbage line' }
  /** Never says anything again and does not close, even when the fault is healed. */
  | { readonly kind: 'half-open' }
  /** Ends the stream as a server does after its time limit. */
  | { readonly kind: 'end' }
  /** Until healed, says every event twice. */
  | { readonly kind: 'duplicate' }
  /** Until healed, says each two events in the wrong order. */
  | { readonly kind: 'reorder' }
  /** Until healed, leaves out all events but bookmarks. */
  | { readonly kind: 'bookmarks only' }

export type ApiFault = RequestFault | WatchFault

/** Which requests a fault is for: all when empty. */
export interface Aim {
  /** As RBAC names them. */
  readonly verbs?: readonly string[]
  readonly resources?: readonly string[]
  /** Empty for the object itself. */
  readonly subresource?: string
  readonly names?: readonly string[]
  /** Part of the user agent. */
  readonly userAgent?: string
  /** From 0 to 1: one in so many, evenly spread and the same in every run. */
  readonly share?: number
  /** It hits so often and no more. */
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

/** A fault that is on until it is healed. */
export class PlannedFault<Fault extends ApiFault = ApiFault> {
  readonly fault: Fault
  readonly #aim: Aim
  #left: number
  #due = 0
  #isHealed = false

  constructor(fault: Fault, aim: Aim) {
    this.fault = fault
    this.#aim = aim
    this.#left = aim.times ?? Number.POSITIVE_INFINITY
  }

  /** For what lasts once it has hit, as a watch that says everything twice. */
  get isHealed(): boolean {
    return this.#isHealed
  }

  heal(): void {
    this.#isHealed = true
  }

  /** Whether this call is hit, which counts. */
  hits(call: ApiCall): boolean {
    const { verbs, resources, subresource, names, userAgent = '', share = 1 } = this.#aim
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

/** The body that the API server sends with such a status. */
export const statusBody = (code: number) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason: reasons[code] ?? 'Unknown',
  message: `the proxy answers ${code}`,
  code,
})
