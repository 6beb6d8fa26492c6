/**
 * What a `Retry-After` header asks for, in milliseconds (RFC 9110, 10.2.3); undefined without one.
 * A date is taken relative to the answer's own `Date`: whose clock is right does not matter.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const asked = headers.get('retry-after')?.trim()
  if (!asked) return undefined
  if (/^\d+$/.test(asked)) return Number(asked) * 1_000
  const ms = Date.parse(asked) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
