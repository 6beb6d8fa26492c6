export interface Alert {
  readonly name: string
  readonly scope: 'facilitator' | 'operator'
  readonly severity: 'critical' | 'warning'
  /** How long the expression has to hold, as a Prometheus duration. */
  readonly for: string
  /** `of` adds the matchers of the installation or the Facilitator to a metric. */
  readonly expr: (of: Selector) => string
  readonly summary: string
  /** Refers to labels as `{{ $labels.network }}`. */
  readonly description: string
}

/** A metric with matchers: `of('svc_x', 'a="b"')` is `svc_x{job="j",a="b"}`. */
export type Selector = (metric: string, matchers?: string) => string

/** One of these warnings of `/health`, in any pod. */
export const raised = (of: Selector, ...codes: readonly string[]): string => {
  const matcher = codes.length === 1 ? `code="${codes[0]}"` : `code=~"${codes.join('|')}"`
  return `max by (namespace) (${of('svc_health_warnings', matcher)}) > 0`
}
