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
