import { hasHidden } from '../../platform/core/text/hostile-text.ts'
import { refuseUrl } from '../../platform/http/guarded-fetch/refuse-url.ts'
import type { NewFacilitator } from '../store/registry/facilitators-add.ts'

const MAX_LENGTH = 300

export type ReadBaseUrl =
  | ({ readonly ok: true } & NewFacilitator)
  /** One sentence; repeats nothing of the URL but its host, protocol or port. */
  | { readonly ok: false; readonly reason: string }

/**
 * Reads the base URL of a facilitator into the one form that the registry has of it: without a trailing slash, host in
 * lower case and without a trailing dot. Refuses what no request may go to, as far as the URL itself shows.
 */
export function readBaseUrl(text: string, allowLoopback: boolean): ReadBaseUrl {
  const refused = (reason: string) => ({ ok: false, reason }) as const
  if (text.length > MAX_LENGTH)
    return refused(`The base URL is longer than ${MAX_LENGTH} characters.`)
  const url = hasHidden(text) ? null : URL.parse(text)
  if (!url) return refused('The base URL is not an absolute URL.')
  if (url.search !== '' || url.hash !== '')
    return refused('The base URL has a query or a fragment.')
  const host = url.hostname.replace(/\.+$/, '')
  if (host === '') return refused('The base URL has no host.')
  url.hostname = host
  const refusal = refuseUrl(url, allowLoopback)
  if (refusal !== undefined) return refused(refusal)
  return {
    ok: true,
    baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    host: host.replace(/^\[|\]$/g, ''),
  }
}
