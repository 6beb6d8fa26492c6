export interface Panel {
  readonly title: string
  /** A unit id of Grafana. */
  readonly unit: string
  readonly kind?: 'timeseries' | 'stat'
  /** Query by legend. `$of` becomes the matchers of the chosen namespaces, `$net` those of namespaces and networks. */
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
