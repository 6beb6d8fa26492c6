export interface Alert {
  readonly name: string
  /**
   * Where its rule is, and whose series it reads: of the pods of one Facilitator, in a rule of that Facilitator; of
   * Facilitators and ChannelPools as an operator sees them, or of the operator itself, in the rule of the chart.
   */
  readonly scope: 'facilitator' | 'resource' | 'operator'
  /** Critical: act within five minutes; warning: within an hour; info: read it on the next working day. */
  readonly severity: 'critical' | 'warning' | 'info'
  /** How long the expression has to hold, as a Prometheus duration. */
  readonly for: string
  /** `of` adds the matchers of the installation or the Facilitator to a metric. */
  readonly expr: (of: Selector) => string
  readonly summary: string
  /** Refers to labels of the expression as `{{ $labels.network }}`. */
  readonly description: string
}

/** A metric with matchers: `of('svc_x', 'a="b"')` is `svc_x{job="j",a="b"}`. */
export type Selector = (metric: string, matchers?: string) => string

/*
 * Labels that an expression keeps when it aggregates, so that the alert says whose it is: a route of Alertmanager
 * selects by `namespace`, and a description names the object.
 */

/** Labels of every series of a Facilitator; its monitor adds them. */
export const owner = 'namespace, facilitator'
/** Labels of a Facilitator's series with a network; the monitor adds the name of the ChannelPool. */
export const ownerOfNetwork = `${owner}, channelpool, network`
/** Labels of an operator's own series. */
export const install = 'namespace, job'
/** Labels of series about a Facilitator or ChannelPool; `job` is that of the operator. */
export const resource = 'job, kind, namespace, name, facilitator, channelpool'

/** Names in the descriptions of alerts. */
export const theFacilitator = '{{ $labels.namespace }}/{{ $labels.facilitator }}'
export const theResource = '{{ $labels.kind }} {{ $labels.namespace }}/{{ $labels.name }}'

/** One of these warnings of `/health`, in any pod. */
export const raised = (of: Selector, ...codes: readonly string[]): string => {
  const matcher = codes.length === 1 ? `code="${codes[0]}"` : `code=~"${codes.join('|')}"`
  return `max by (${owner}) (${of('svc_health_warnings', matcher)}) > 0`
}
