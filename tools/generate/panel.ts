export interface Panel {
  readonly title: string
  /** A unit id of Grafana. */
  readonly unit: string
  readonly kind?: 'timeseries' | 'stat'
  /** Query by legend. `$ns` becomes the matchers of the chosen namespaces, `$of` those of namespaces and Facilitators, `$net` those of networks too. */
  readonly queries: Readonly<Record<string, string>>
}

export interface Row {
  readonly title: string
  readonly panels: readonly Panel[]
}

export const quantile = (share: number, metric: string, by: string, matchers: string): string =>
  `histogram_quantile(${share}, sum by (${by}le) (rate(${metric}_bucket{${matchers}}[$__rate_interval])))`

export const rate = (metric: string, by: string, matchers: string): string =>
  `sum by (${by}) (rate(${metric}{${matchers}}[$__rate_interval]))`
