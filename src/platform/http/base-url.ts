import type { IncomingHttpHeaders } from 'node:http'
import { forwardedEntry } from './rate-limit/client-address.ts'

/** Headers by which a proxy says what it changed. */
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]

/** A host name, an IPv4 address or an IPv6 address in brackets, with or without a port. */
const host = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i

/**
 * The address at which the sender of a request reaches this service, without a trailing slash; undefined
 * where that is not certain. It is fit for showing to this sender only: the sender of the request also
 * chooses its `Host`.
 *
 * @param trustedHops proxies whose `X-Forwarded-Proto` and `X-Forwarded-Host` count. With 0, a request
 *   that came through a proxy gives no address: its scheme and host are not known.
 */
export function baseUrlOf(headers: IncomingHttpHeaders, trustedHops: number): string | undefined {
  // The proxy removed a part of the path, and only the client knows which.
  if (headers['x-forwarded-prefix'] !== undefined) return undefined
  if (trustedHops === 0) {
    const isProxied = proxyHeaders.some((name) => headers[name] !== undefined)
    return isProxied ? undefined : urlOf('http', headers.host)
  }
  const scheme = forwardedEntry(headers['x-forwarded-proto'], trustedHops)
  return urlOf(scheme, forwardedEntry(headers['x-forwarded-host'], trustedHops) ?? headers.host)
}

function urlOf(scheme: string | undefined, name: string | undefined): string | undefined {
  if (scheme !== 'http' && scheme !== 'https') return undefined
  return name !== undefined && host.test(name) ? `${scheme}://${name.toLowerCase()}` : undefined
}
