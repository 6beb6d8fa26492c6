/** The value below which a share of the values lies (nearest rank); NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = Math.max(1, Math.ceil(share * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
