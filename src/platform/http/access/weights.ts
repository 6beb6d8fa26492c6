/**
 * The weight of each value in a header such as `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2): 0 to 1,
 * where 0 means not acceptable. Parameters of a value other than `q` are ignored.
 */
export function weightsOf(header: string | undefined): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [value = '', ...parameters] = part.split(';').map((each) => each.trim())
    const q = parameters.find((each) => each.startsWith('q='))
    const weight = q === undefined ? 1 : Number.parseFloat(q.slice(2))
    if (value !== '') weights.set(value, Number.isNaN(weight) ? 0 : weight)
  }
  return weights
}
