const TEMPLATE = /^\/[a-zA-Z0-9_/:.\-~%]+$/

/** A template that is encoded more often is meant to deceive. */
const MAX_DECODINGS = 5

/** Whether the stock client of x402 accepts it as the path of a resource, `/weather/:city` for instance. */
export function isRouteTemplate(value: unknown): value is string {
  if (typeof value !== 'string' || !TEMPLATE.test(value)) return false
  const decoded = fullyDecoded(value)
  return decoded !== undefined && !decoded.includes('..') && !decoded.includes('://')
}

/** Whether a path is one of a template: a segment `:name` stands for any other, a value and no further parameter. */
export function isOfTemplate(path: string, template: string): boolean {
  const [expected, actual] = [template.split('/'), path.split('/')]
  return (
    expected.length === actual.length &&
    expected.every((segment, at) =>
      segment.startsWith(':') ? isValue(actual[at]) : segment === actual[at],
    )
  )
}

const isValue = (segment = ''): boolean => segment !== '' && !segment.startsWith(':')

function fullyDecoded(value: string): string | undefined {
  let decoded = value
  for (let pass = 0; pass < MAX_DECODINGS; pass++) {
    const next = decode(decoded)
    if (next === undefined || next === decoded) return next
    decoded = next
  }
  return undefined
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
